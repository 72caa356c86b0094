# The fibre section of rc_portal_pushover.tcl: rectangular column with three layers of bars.
proc columnSection {tag core cover steel d b c As} {
    set y1 [expr {$d / 2.0}]
    set z1 [expr {$b / 2.0}]
    section Fiber $tag {
        patch rect $core 10 1 [expr {$c - $y1}] [expr {$c - $z1}] [expr {$y1 - $c}] [expr {$z1 - $c}]
        patch rect $cover 10 1 [expr {-$y1}] [expr {$z1 - $c}] $y1 $z1
        patch rect $cover 10 1 [expr {-$y1}] [expr {-$z1}] $y1 [expr {$c - $z1}]
        patch rect $cover 2 1 [expr {-$y1}] [expr {$c - $z1}] [expr {$c - $y1}] [expr {$z1 - $c}]
        patch rect $cover 2 1 [expr {$y1 - $c}] [expr {$c - $z1}] $y1 [expr {$z1 - $c}]
        layer straight $steel 3 $As [expr {$y1 - $c}] [expr {$z1 - $c}] [expr {$y1 - $c}] [expr {$c - $z1}]
        layer straight $steel 2 $As 0.0 [expr {$z1 - $c}] 0.0 [expr {$c - $z1}]
        layer straight $steel 3 $As [expr {$c - $y1}] [expr {$z1 - $c}] [expr {$c - $y1}] [expr {$c - $z1}]
    }
}
