# One-bay, two-storey frame with corotational truss braces in an X. As braced_frame.py.
# Units: kN, mm, s (mass in kN s2/mm)
wipe
model basic -ndm 2 -ndf 3
set L 6000.0
set H 3500.0
array set x {1 0 2 1 3 0 4 1 5 0 6 1}
array set y {1 0 2 0 3 1 4 1 5 2 6 2}
foreach tag [lsort -integer [array names x]] {
    node $tag [expr $x($tag) * $L] [expr $y($tag) * $H]
}
fix 1 1 1 0
fix 2 1 1 0
set weight 380.0
set m [expr $weight / 9810.0]
foreach tag {3 4 5 6} { mass $tag $m $m 0.0 }

uniaxialMaterial Steel02 1 0.275 205.0 0.01 20 0.925 0.15
uniaxialMaterial ElasticPP 2 205.0 [expr 0.275 / 205.0]
geomTransf Corotational 1
geomTransf Linear 2
set tag 0
foreach {i j} {1 3 3 5 2 4 4 6} { element elasticBeamColumn [incr tag] $i $j 1.13e4 205.0 1.43e8 1 }
set tag 10
foreach {i j} {3 4 5 6} { element elasticBeamColumn [incr tag] $i $j 8.5e3 205.0 2.3e8 2 }
set tag 20
foreach {i j A mat} {1 4 1450.0 1   2 3 1450.0 1   3 6 1100.0 2   4 5 1100.0 2} {
    element corotTruss [incr tag] $i $j $A $mat -rho 0.0
}

timeSeries Linear 1
pattern Plain 1 1 {
    foreach tag {3 4 5 6} { load $tag 0.0 -$weight 0.0 }
}
constraints Plain
numberer Plain
system ProfileSPD
test NormDispIncr 1e-10 25
algorithm Newton
integrator LoadControl 0.2
analysis Static
analyze 5
loadConst -time 0.0
puts "eigenvalues: [eigen -fullGenLapack 2]"
wipeAnalysis

timeSeries Path 2 -dt 0.01 -filePath records/short.txt -factor [expr 0.75 * 9810.0]
pattern UniformExcitation 2 1 -accel 2
set zeta 0.02; set w1 15.3; set w2 43.0
rayleigh [expr 2 * $zeta * $w1 * $w2 / ($w1 + $w2)] 0.0 [expr 2 * $zeta / ($w1 + $w2)] 0.0
constraints Plain
numberer Plain
system ProfileSPD
test NormDispIncr 1e-10 25
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 1200 0.005
puts "roof [nodeDisp 5 1]"
