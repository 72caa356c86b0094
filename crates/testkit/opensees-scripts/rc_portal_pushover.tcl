# Pushover of a reinforced-concrete portal: fibre columns, elastic beam, gravity first. As rc_portal_pushover.py.
# Units: N, m
source rc_portal_section.tcl
set width 7.2; set height 3.4
set P 620.0e3

wipe
model basic -ndm 2 -ndf 3
node 1 0.0 0.0
node 2 $width 0.0
node 3 0.0 $height
node 4 $width $height
fix 1 1 1 1
fix 2 1 1 1

uniaxialMaterial Concrete01 1 -38.0e6 -0.0032 -27.0e6 -0.018
uniaxialMaterial Concrete01 2 -31.0e6 -0.0021 0.0 -0.0065
uniaxialMaterial Steel01 3 435.0e6 2.05e11 0.012
columnSection 1 1 2 3 0.55 0.40 0.045 5.1e-4

geomTransf PDelta 1
element forceBeamColumn 1 1 3 5 1 1
element forceBeamColumn 2 2 4 5 1 1
geomTransf Linear 2
element elasticBeamColumn 3 3 4 0.22 2.8e10 0.0048 2

pattern Plain 1 "Linear" {
    load 3 0.0 -$P 0.0
    load 4 0.0 [expr {-$P}] 0.0
}
system BandGeneral
constraints Transformation
numberer RCM
test NormDispIncr 1.0e-12 20 0
algorithm Newton
integrator LoadControl 0.1
analysis Static
analyze 10
loadConst -time 0.0

set H 50.0e3
pattern Plain 2 "Linear" {
    foreach n {3 4} {
        load $n $H 0.0 0.0
    }
}
recorder Node -file portal.out -time -node 3 4 -dof 1 disp
integrator DisplacementControl 3 1 0.001
set ok [analyze 120]
if {$ok == 0} {
    puts "pushover done: drift [expr {[nodeDisp 3 1] / $height}]"
} else {
    puts "pushover failed"
}
