# Elastic four-storey frame: modes, Rayleigh damping from the eigenvalues, harmonic load and earthquake. As elastic_frame_modes.py.
# Units: kN, m, t
wipe
model basic -ndm 2 -ndf 3
geomTransf Linear 1
set storeys 4; set bays 2
set h 3.1; set l 5.5
for {set k 0} {$k <= $storeys} {incr k} {
    for {set i 0} {$i <= $bays} {incr i} {
        set tag [expr {100 * $k + $i + 1}]
        node $tag [expr {$l * $i}] [expr {$h * $k}]
        if {$k == 0} { fix $tag 1 1 1 } else { mass $tag 14.0 14.0 0.0 }
    }
}
set E 3.0e7; set A 0.16; set I 2.13e-3
section Elastic 1 $E $A $I
set tag 0
for {set k 0} {$k < $storeys} {incr k} {
    for {set i 1} {$i <= $bays + 1} {incr i} {
        element elasticBeamColumn [incr tag] [expr {100 * $k + $i}] [expr {100 * ($k + 1) + $i}] $A $E $I 1
    }
}
for {set k 1} {$k <= $storeys} {incr k} {
    for {set i 1} {$i <= $bays} {incr i} {
        element forceBeamColumn [incr tag] [expr {100 * $k + $i}] [expr {100 * $k + $i + 1}] 3 1 1
    }
}

set lambda [eigen 3]
set w1 [expr {sqrt([lindex $lambda 0])}]
set w3 [expr {pow([lindex $lambda 2], 0.5)}]
puts "T1 = [expr {2 * acos(-1) / $w1}] s"
set xi 0.03
rayleigh [expr {2 * $xi * $w1 * $w3 / ($w1 + $w3)}] 0.0 [expr {2 * $xi / ($w1 + $w3)}] 0.0

set g 9.81
pattern UniformExcitation 1 1 -accel "Series -dt 0.01 -filePath records/short.txt -factor [expr {0.5 * $g}]"
timeSeries Trig 2 0.0 3.0 0.5 -factor 25.0
pattern Plain 2 2 {
    load 401 1.0 0.0 0.0
}
constraints Plain
numberer RCM
system BandSPD
algorithm Linear
integrator Newmark 0.5 0.25
analysis Transient
set ok [analyze 500 0.01]
puts "ok $ok, roof [nodeDisp 401 1]"
