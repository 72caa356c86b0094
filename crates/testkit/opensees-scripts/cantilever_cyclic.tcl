# Quasi-static cyclic test of a steel cantilever by a drift protocol. As cantilever_cyclic.py.
# Units: kN, m
proc peaks {levels repeats} {
    set out {}
    foreach level $levels {
        for {set i 0} {$i < $repeats} {incr i} { lappend out $level [expr {-$level}] }
    }
    lappend out 0.0
    return $out
}

wipe
model BasicBuilder -ndm 2 -ndf 3
set L 2.4
node 1 0 0
node 2 0 $L
fix 1 1 1 1
uniaxialMaterial Steel02 1 355.0e3 2.1e8 0.015 18.5 0.925 0.15
section Fiber 1 {
    patch rect 1 4 1 -0.15 -0.15 -0.131 0.15
    patch rect 1 12 1 -0.131 -0.0055 0.131 0.0055
    patch rect 1 4 1 0.131 -0.15 0.15 0.15
}
geomTransf Corotational 1
element forceBeamColumn 1 1 2 1 "Lobatto 1 6"

timeSeries Linear 1
pattern Plain 1 1 { load 2 0.0 -700.0 0.0 }
constraints Plain; numberer Plain; system BandGeneral
test NormDispIncr 1e-11 40
algorithm Newton
integrator LoadControl 0.25
analysis Static
analyze 4
loadConst -time 0.0
pattern Plain 2 1 { load 2 1.0 0.0 0.0 }

set increment 0.0012
set now 0.0
foreach peak [peaks {0.012 0.024 0.048 0.072} 2] {
    set n [expr {max(1, round(abs($peak - $now) / $increment))}]
    integrator DisplacementControl 2 1 [expr {($peak - $now) / $n}]
    analysis Static
    for {set i 0} {$i < $n} {incr i} {
        set ok [analyze 1]
        if {$ok != 0} {
            puts "no convergence at [nodeDisp 2 1]"
            exit 1
        }
    }
    set now $peak
}
puts "done at [nodeDisp 2 1]"
