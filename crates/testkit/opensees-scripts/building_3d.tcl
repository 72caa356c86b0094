# Three-dimensional two-storey building with rigid floors and two components. As building_3d.py.
# Units: N, m
wipe
model basic -ndm 3 -ndf 6
set Lx 6.0; set Ly 5.0; set h 3.3
set corners [list 0.0 0.0 $Lx 0.0 $Lx $Ly 0.0 $Ly]
foreach level {0 1 2} {
    set i 0
    foreach {x y} $corners { node [expr {10 * $level + [incr i]}] $x $y [expr {$level * $h}] }
}
fixZ 0.0 1 1 1 1 1 1
foreach level {1 2} {
    set master [expr {10 * $level + 9}]
    node $master [expr {$Lx / 2 + 0.3}] [expr {$Ly / 2 - 0.2}] [expr {$level * $h}]
    fix $master 0 0 1 1 1 0
    set slaves {}
    foreach i {1 2 3 4} { lappend slaves [expr {10 * $level + $i}] }
    eval rigidDiaphragm 3 $master $slaves
}

uniaxialMaterial Concrete01 1 -34.0e6 -0.003 -24.0e6 -0.018
uniaxialMaterial Concrete01 2 -28.0e6 -0.002 -5.0e6 -0.006
uniaxialMaterial Steel02 3 450.0e6 2.0e11 0.01 18.0 0.925 0.15
set c 0.045
set s [expr {0.4 / 2}]
set in [expr {$s - $c}]
set G 1.1e10
section Fiber 1 -GJ [expr {$G * 0.141 * 0.4**4}] {
    patch rect 1 6 6 -$in -$in $in $in
    patch rect 2 1 6 -$s -$s -$in $s
    patch rect 2 1 6 $in -$s $s $s
    patch rect 2 6 1 -$in -$s $in -$in
    patch rect 2 6 1 -$in $in $in $s
    layer straight 3 3 3.8e-4 -$in -$in -$in $in
    layer straight 3 2 3.8e-4 0.0 -$in 0.0 $in
    layer straight 3 3 3.8e-4 $in -$in $in $in
}
geomTransf PDelta 1 1.0 0.0 0.0
geomTransf Linear 2 0.0 0.0 1.0
foreach level {0 1} {
    foreach i {1 2 3 4} {
        set a [expr {10 * $level + $i}]
        element forceBeamColumn [expr {100 * $level + $i}] $a [expr {$a + 10}] 4 1 1
    }
}
foreach level {1 2} {
    foreach i {1 2 3 4} {
        set a [expr {10 * $level + $i}]
        set b [expr {10 * $level + $i % 4 + 1}]
        element elasticBeamColumn [expr {1000 + 10 * $level + $i}] $a $b 0.15 2.6e10 $G 2.8e-3 1.1e-3 3.1e-3 2
    }
}

array set M {1 46.0e3 2 40.0e3}
timeSeries Linear 1
pattern Plain 1 1 {
    foreach level {1 2} {
        mass [expr {10 * $level + 9}] $M($level) $M($level) 0.0 0.0 0.0 [expr {$M($level) * ($Lx**2 + $Ly**2) / 12}]
        foreach i {1 2 3 4} { load [expr {10 * $level + $i}] 0.0 0.0 [expr {-9.81 * $M($level) / 4}] 0.0 0.0 0.0 }
    }
}
proc solver {} {
    constraints Transformation
    numberer RCM
    system UmfPack
    test NormDispIncr 1e-11 30
    algorithm Newton
}
solver
integrator LoadControl 0.2
analysis Static
puts "gravity [analyze 5]"
loadConst -time 0.0
wipeAnalysis

foreach {direction name} {1 ew 2 ns} {
    set series "Series -dt 0.02 -filePath records/valley-$name.txt -factor 9.81"
    pattern UniformExcitation [expr {10 + $direction}] $direction -accel $series
}
rayleigh 0.4 0.0 0.0012 0.0
solver
integrator Newmark 0.5 0.25
analysis Transient
puts "ok [analyze 250 0.02] [nodeDisp 29 1] [nodeDisp 29 2] [nodeDisp 29 6]"
