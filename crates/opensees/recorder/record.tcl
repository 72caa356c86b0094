# Runs a user's Tcl script with every command of OpenSees written down, in order, with the line that gave it:
#   tclsh record.tcl SCRIPT ARGUMENTS...
# The record goes to the file INTERFIELD_RECORD, as run.py writes it. Nothing is computed here: INTERFIELD_PROGRAM answers `eigen` from
# the model recorded so far, and if INTERFIELD_PEER is a command, every command is passed on to it (the real OpenSees) and its answer used.
# Forms that only Tcl has become those of Python: series written inside a pattern, integration written inside an element.
#
# Numbers lose their origin in Tcl. The caller runs the script once more with the answers of one query changed a little
# (INTERFIELD_NUDGE): arguments that change descend from it.

namespace eval ::interfield {
    variable here [file normalize [info script]]
    variable record {} peer {}
    variable nodes {} elements {} masses {} fixed {} moved {} asked {} blocks {} own {} written {}
    variable ndm 2 ndf 3
    variable time 0.0 increment 1.0 transient 0 controlled {}
    variable waiting {} waitingKey {} count 0
    variable fresh 900000
    variable nudge [expr {[info exists ::env(INTERFIELD_NUDGE)] ? $::env(INTERFIELD_NUDGE) : ""}]
    # What a query answers that nothing is known of: not zero, so that a script may divide by it.
    variable tiny 1e-12
    # Commands after which a script is taken for one that never ends.
    variable most 5000000
}

# --- writing -------------------------------------------------------------------------------------------------------------------------

proc ::interfield::text {s} {
    set out ""
    foreach c [split $s ""] {
        scan $c %c code
        if {$c eq "\""} { append out "\\\"" } elseif {$c eq "\\"} { append out "\\\\" } elseif {$code < 32} {
            append out [format "\\u%04x" $code]
        } else { append out $c }
    }
    return "\"$out\""
}

proc ::interfield::isNumber {s} {
    if {![string is double -strict $s]} { return 0 }
    return [expr {![regexp -nocase {inf|nan} $s]}]
}

proc ::interfield::written {s} {
    if {![isNumber $s]} { return [text $s] }
    if {[string is wideinteger -strict $s]} { return [expr {wide($s)}] }
    return [expr {double($s)}]
}

proc ::interfield::put {line} {
    variable record
    if {$record ne ""} { puts $record $line }
}

# Writes a command; steps of an analysis in a loop become one command.
proc ::interfield::say {name arguments place {more ""}} {
    variable waiting
    variable waitingKey
    variable count
    variable most
    lassign $place file line
    if {$name eq "analyze" && [llength $arguments]} {
        set rest [lrange $arguments 1 end]
        set key [list $file $line $rest]
        set steps [lindex $arguments 0]
        if {$waitingKey eq $key && [isNumber $steps]} { set steps [expr {$steps + [lindex $waiting 0]}] } else { release }
        set waiting [concat [list $steps] $rest]
        set waitingKey $key
        return
    }
    release
    put [entry $name $arguments $file $line $more]
    if {[incr count] > $most} { error "more than $most commands were recorded: the script does not seem to end" }
}

proc ::interfield::entry {name arguments file line {more ""}} {
    set list [join [lmap a $arguments { written $a }] ", "]
    return "{\"command\": [text $name], \"arguments\": \[$list\], \"file\": [text $file], \"line\": $line$more}"
}

proc ::interfield::release {} {
    variable waiting
    variable waitingKey
    if {$waitingKey ne ""} {
        lassign $waitingKey file line
        put [entry analyze $waiting $file $line]
        set waitingKey {}
    }
}

proc ::interfield::flushed {} {
    variable record
    release
    if {$record ne ""} { flush $record }
}

# File and line of the script that gave the command: the innermost place that is not in this file. Tcl counts the lines of a block that
# is evaluated from the start of the block, so `blocks` remembers where it starts.
proc ::interfield::place {} {
    variable here
    variable blocks
    for {set i [info frame]} {$i > 0} {incr i -1} {
        set frame [info frame $i]
        if {[dict get $frame type] eq "eval" && [dict exists $blocks $i]} {
            lassign [dict get $blocks $i] file line
            return [list $file [expr {$line + [dict get $frame line] - 1}]]
        }
        if {[dict get $frame type] ne "source"} continue
        if {[file normalize [dict get $frame file]] eq $here} continue
        return [list [dict get $frame file] [dict get $frame line]]
    }
    return [list "" 0]
}

# --- forms of Tcl as those of Python ---------------------------------------------------------------------------------------------------

# Lists are opened, as `-values {0 1 2}`; texts and paths with blanks stay whole.
proc ::interfield::flat {arguments} {
    set out {}
    foreach a $arguments {
        if {![isNumber $a] && ![catch {llength $a} n] && $n > 1 && [numbers $a]} { lappend out {*}$a } else { lappend out $a }
    }
    return $out
}

proc ::interfield::numbers {list} {
    foreach a $list { if {![isNumber $a]} { return 0 } }
    return 1
}

# Where a file is: one that the script has written lies in the scratch folder. A path means what it meant where the script stood.
proc ::interfield::actual {path} {
    variable written
    set whole [file normalize $path]
    if {[dict exists $written $whole]} { return [dict get $written $whole] }
    return [expr {[file exists $whole] ? $whole : $path}]
}

proc ::interfield::paths {arguments} {
    set out {}
    set before ""
    foreach a $arguments {
        if {$before in {-filePath -fileTime -fileAccel -fileDisp}} { set a [actual $a] }
        lappend out $a
        set before $a
    }
    return $out
}

# A series written where a pattern or a motion uses it gets a tag of its own.
proc ::interfield::series {text place} {
    if {[string is integer -strict $text]} { return $text }
    set words [flat $text]
    set kind [lindex $words 0]
    set known {Series Path Sine Trig Sinusoid Trig PathSeries Path}
    if {[dict exists $known $kind]} { set kind [dict get $known $kind] }
    return [named timeSeries $kind [paths [lrange $words 1 end]] $place]
}

# Tag of a thing that has none in Tcl; the same thing gets the same tag.
proc ::interfield::named {command kind arguments place} {
    variable fresh
    variable own
    set key [list $command $kind $arguments]
    if {![dict exists $own $key]} {
        dict set own $key [incr fresh]
        tell $command [list $kind $fresh {*}$arguments] $place
    }
    return [dict get $own $key]
}

proc ::interfield::motion {arguments place} {
    set out {}
    set before ""
    foreach a $arguments {
        if {$before in {-accel -disp -vel -accelSeries -dispSeries -velSeries}} { set a [series $a $place] }
        lappend out $a
        set before $a
    }
    return $out
}

# Members: `nIP section transformation`, or `transformation "Rule ..."`; Python has `transformation integration`.
proc ::interfield::member {arguments place} {
    lassign $arguments kind tag i j fourth fifth sixth
    if {$kind in {nonlinearBeamColumn elasticBeamColumn beamWithHinges} || [llength $arguments] < 6} { return $arguments }
    set rule [expr {[string match disp* $kind] ? "Legendre" : "Lobatto"}]
    if {![isNumber $fifth] && ![string match -* $fifth]} {
        # The rule is one word in quotes, or the words up to the next option.
        set words [expr {[llength $fifth] > 1 ? $fifth : [lrange $arguments 5 end]}]
        set rest [expr {[llength $fifth] > 1 ? [lrange $arguments 6 end] : {}}]
        set end [lsearch -start 1 -regexp $words {^-[A-Za-z]}]
        if {$end >= 0} {
            set rest [concat [lrange $words $end end] $rest]
            set words [lrange $words 0 $end-1]
        }
        return [list $kind $tag $i $j $fourth [named beamIntegration [lindex $words 0] [lrange $words 1 end] $place] {*}$rest]
    }
    if {[isNumber $fifth] && [isNumber $sixth]} {
        return [list $kind $tag $i $j $sixth [named beamIntegration $rule [list $fifth $fourth] $place] {*}[lrange $arguments 7 end]]
    }
    return $arguments
}

# --- answers -----------------------------------------------------------------------------------------------------------------------------

proc ::interfield::clear {} {
    foreach name {nodes elements masses fixed moved own asked controlled} { set ::interfield::$name {} }
    set ::interfield::ndm 2
    set ::interfield::ndf 3
    set ::interfield::time 0.0
    set ::interfield::increment 1.0
    set ::interfield::transient 0
}

# Remembers what later questions ask for.
proc ::interfield::hear {name a} {
    variable nodes
    variable elements
    variable masses
    variable ndm
    variable ndf
    variable time
    variable increment
    variable transient
    variable controlled
    variable moved
    switch -- $name {
        model {
            set at [lsearch $a -ndm]
            if {$at >= 0} {
                set ndm [lindex $a $at+1]
                set ndf [expr {[dict exists {1 1 2 3 3 6} $ndm] ? [dict get {1 1 2 3 3 6} $ndm] : 3}]
            }
            set at [lsearch $a -ndf]
            if {$at >= 0} { set ndf [lindex $a $at+1] }
        }
        node { dict set nodes [lindex $a 0] [lrange $a 1 $ndm] }
        mass { dict set masses [lindex $a 0] [lrange $a 1 end] }
        element { dict set elements [lindex $a 1] [lrange $a 2 3] }
        remove {
            if {[lindex $a 0] in {element ele}} { dict unset elements [lindex $a 1] }
            if {[lindex $a 0] eq "node"} { dict unset nodes [lindex $a 1] }
        }
        integrator {
            set kind [lindex $a 0]
            set controlled {}
            set transient [expr {$kind ni {LoadControl DisplacementControl ArcLength ArcLength1 MinUnbalDispNorm StaticLoadControl EQPath}}]
            set increment [expr {$kind eq "LoadControl" && [isNumber [lindex $a 1]] ? [lindex $a 1] : 1.0}]
            if {$kind eq "DisplacementControl"} { set controlled [lrange $a 1 3] }
        }
        analysis { set transient [string match *Transient [lindex $a 0]] }
        analyze {
            lassign $a steps dt
            if {![isNumber $steps]} return
            set each [expr {$transient ? ([isNumber $dt] ? $dt : 0.0) : $increment}]
            set time [expr {$time + $steps * $each}]
            if {!$transient && [llength $controlled] == 3} {
                lassign $controlled n d step
                set now [expr {[dict exists $moved "$n $d"] ? [dict get $moved "$n $d"] : 0.0}]
                dict set moved "$n $d" [expr {$now + $steps * $step}]
            }
        }
        loadConst {
            set at [lsearch $a -time]
            if {$at >= 0} { set time [expr {double([lindex $a $at+1])}] }
        }
        setTime { set time [expr {double([lindex $a 0])}] }
        reset { set time 0.0; set moved {} }
        wipe { clear }
    }
}

# An answer that the script may compute with; changed a little where its descendants are looked for.
proc ::interfield::given {name value} {
    variable nudge
    return [expr {$nudge eq $name ? $value * 1.0009765625 : $value}]
}

proc ::interfield::repeated {name count} {
    variable tiny
    return [lrepeat $count [given $name $tiny]]
}

proc ::interfield::eigen {a place} {
    variable nudge
    set count 1
    foreach word $a { if {[string is integer -strict $word]} { set count $word } }
    flushed
    set values {}
    set live 0
    if {[info exists ::env(INTERFIELD_PROGRAM)] && $::env(INTERFIELD_PROGRAM) ne ""} {
        if {![catch {::interfield::exec $::env(INTERFIELD_PROGRAM) import answer $::env(INTERFIELD_RECORD) --eigen $count 2>@1} told]
            && [regexp {"eigenvalues"\s*:\s*\[([^\]]*)\]} $told _ list]} {
            set values [split [string map {" " "" "\n" ""} $list] ,]
            set live [expr {[llength $values] > 0}]
        }
    }
    if {!$live} { for {set i 1} {$i <= $count} {incr i} { lappend values [expr {(10.0 * $i) ** 2}] } }
    say eigen $a $place ", \"live\": [expr {$live ? "true" : "false"}]"
    return [lmap v $values { given eigen $v }]
}

# The answer to a question, or an error if it is none.
proc ::interfield::answer {name a} {
    variable nodes
    variable elements
    variable masses
    variable fixed
    variable moved
    variable ndm
    variable ndf
    variable time
    variable tiny
    lassign $a tag dof
    switch -- $name {
        getTime { return $time }
        getLoadFactor { return [given getLoadFactor $time] }
        nodeDisp {
            if {$dof eq ""} {
                set all {}
                for {set d 1} {$d <= $ndf} {incr d} { lappend all [answer nodeDisp [list $tag $d]] }
                return $all
            }
            return [expr {[dict exists $moved "$tag $dof"] ? [dict get $moved "$tag $dof"] : [given nodeDisp $tiny]}]
        }
        nodeVel - nodeAccel - nodeReaction - nodeUnbalance - nodeEigenvector {
            set all [repeated $name $ndf]
            return [expr {[llength $a] > ($name eq "nodeEigenvector" ? 2 : 1) ? [lindex $all 0] : $all}]
        }
        nodeCoord {
            set at [expr {[dict exists $nodes $tag] ? [dict get $nodes $tag] : [lrepeat $ndm 0.0]}]
            set index [lsearch {X Y Z} $dof]
            if {$index < 0 && [string is integer -strict $dof]} { set index [expr {$dof - 1}] }
            return [expr {$dof eq "" ? $at : [lindex $at $index]}]
        }
        nodeMass {
            set mass [expr {[dict exists $masses $tag] ? [dict get $masses $tag] : [lrepeat $ndf 0.0]}]
            return [expr {$dof eq "" ? $mass : [lindex $mass $dof-1]}]
        }
        nodeBounds {
            set low {}
            set high {}
            for {set i 0} {$i < $ndm} {incr i} {
                set all [lmap at [dict values $nodes] { lindex $at $i }]
                lappend low [::tcl::mathfunc::min {*}$all]
                lappend high [::tcl::mathfunc::max {*}$all]
            }
            return [concat $low $high]
        }
        getNodeTags { return [dict keys $nodes] }
        getEleTags { return [dict keys $elements] }
        getNDM { return $ndm }
        getNDF { return $ndf }
        getNumElements { return [dict size $elements] }
        eleNodes { return [expr {[dict exists $elements $tag] ? [dict get $elements $tag] : {}}] }
        eleForce - eleDynamicalForce - basicForce - basicDeformation - sectionForce - sectionDeformation {
            set all [repeated $name 12]
            return [expr {[llength $a] > 1 ? [lindex $all 0] : $all}]
        }
        eleResponse - sectionLocation - sectionWeight - modalProperties { return [repeated $name 12] }
        getStress - getStrain - getTangent - nodeResponse { return [given $name $tiny] }
        testIter - numIter - numFact - getNP - getNumThreads { return 1 }
        testNorm - testNorms { return 0.0 }
        getPID - analyze { return 0 }
        systemSize { return [expr {[dict size $nodes] * $ndf}] }
        version { return 3.7.1 }
    }
    error "no question"
}

variable ::interfield::questions {
    getTime getLoadFactor nodeDisp nodeVel nodeAccel nodeReaction nodeUnbalance nodeEigenvector nodeCoord nodeMass nodeBounds getNodeTags
    getEleTags getNDM getNDF getNumElements eleNodes eleForce eleDynamicalForce basicForce basicDeformation sectionForce
    sectionDeformation eleResponse sectionLocation sectionWeight modalProperties getStress getStrain getTangent nodeResponse testIter
    numIter numFact getNP getNumThreads testNorm testNorms getPID systemSize version
}

# Passes a command on to the real OpenSees, if there is one, and gives its answer.
proc ::interfield::ask {name arguments place} {
    variable peer
    puts $peer [entry $name $arguments {*}$place]
    flush $peer
    if {[gets $peer line] < 0} { error "OpenSees is gone: its process has ended" }
    lassign $line word value
    if {$word eq "error"} { error $value }
    return $value
}

# Writes a command, passes it on, and answers it.
proc ::interfield::tell {name a place} {
    variable peer
    variable asked
    variable questions
    set question [expr {$name in $questions}]
    if {$name eq "eigen" && $peer eq ""} { return [eigen $a $place] }
    if {!$question} { say $name $a $place } elseif {![dict exists $asked [list $name $a]] && [dict size $asked] < 10000} {
        dict set asked [list $name $a] 1
        lassign $place file line
        put [entry $name $a $file $line]
    }
    hear $name $a
    if {$peer ne ""} { return [ask $name $a $place] }
    if {$question || $name eq "analyze"} { return [answer $name $a] }
    return ""
}

# --- commands ------------------------------------------------------------------------------------------------------------------------------

proc ::interfield::command {name args} {
    set place [place]
    set body {}
    # The last argument of these may be a block of commands.
    if {$name in {pattern section} && [llength $args] > 2} {
        set last [lindex $args end]
        if {![isNumber $last] && ([regexp {[\n;]} $last] || $last eq "" || ([llength $last] > 1 && [isCommand [lindex $last 0]]))} {
            set body $last
            set args [lrange $args 0 end-1]
        }
    }
    set a $args
    switch -- $name {
        pattern {
            switch -- [lindex $a 0] {
                Plain { set a [lreplace $a 2 2 [series [lindex $a 2] $place]] }
                UniformExcitation { set a [motion $a $place] }
            }
        }
        groundMotion { set a [motion $a $place] }
        timeSeries { if {[llength $a] == 1} { set a [lindex $a 0] } }
        element { if {[string match *BeamColumn* [lindex $a 0]]} { set a [member $a $place] } }
        print { set name printModel }
    }
    if {$name ne "recorder"} { set a [flat $a] }
    set told [tell $name [paths $a] $place]
    if {$body ne ""} { uplevel 1 [list ::interfield::block $body $place] }
    return $told
}

# Evaluates a block where the command stands; its commands are found by the lines of the file.
proc ::interfield::block {body place} {
    variable blocks
    set level [expr {[info frame] + 1}]
    dict set blocks $level $place
    set code [catch { uplevel 1 $body } result options]
    dict unset blocks $level
    return -options $options $result
}

proc ::interfield::isCommand {word} { return [expr {$word in {load sp eleLoad groundMotion imposedMotion patch layer fiber imposedSupportMotion}}] }

variable ::interfield::commands {
    algorithm analysis analyze beamIntegration block2D block3D constraints damping database defaultUnits domainChange eigen eleLoad element
    equalDOF equalDOF_Mixed fiber fix fixX fixY fixZ frictionModel geomTransf groundMotion imposedMotion imposedSupportMotion
    hystereticBackbone initialize integrator layer limitCurve load loadConst logFile mass modalDamping model nDMaterial node numberer
    parameter patch pattern print printA printB printModel printGID rayleigh reactions record recorder region remove reset restore
    responseSpectrumAnalysis rigidDiaphragm rigidLink save section setCreep setElementRayleighDampingFactors setMaxOpenFiles
    setNodeAccel setNodeCoord setNodeDisp setNodeVel setParameter setPrecision setTime sp start stop system test timeSeries
    uniaxialMaterial updateMaterialStage updateParameter wipe wipeAnalysis
}

# What would change the user's machine does nothing here; the result of it is not needed to read a model.
rename exec ::interfield::exec
rename open ::interfield::open
rename file ::interfield::file
rename puts ::interfield::puts
rename exit ::interfield::exit
catch { rename load ::interfield::loadLibrary }

proc exec {args} { ::interfield::say exec $args [::interfield::place]; return "" }
proc exit {{code 0}} { return -code error -errorcode [list INTERFIELD EXIT $code] "the script ended itself with status $code" }
proc after {args} { return "" }
proc socket {args} { error "a script that is imported opens no connection" }
proc open {name {mode r} args} {
    if {[string match |* $name]} { error "a script that is imported starts no program: $name" }
    if {$mode eq "r" || $mode eq "RDONLY"} { return [::interfield::open [::interfield::actual $name] r] }
    return [::interfield::scratch $name $mode]
}
proc file {option args} {
    if {$option in {mkdir delete rename copy attributes link}} { return "" }
    if {$option in {exists isfile readable size}} { set args [list [::interfield::actual [lindex $args 0]]] }
    return [::interfield::file $option {*}$args]
}

# What the script writes, such as a record in another format, it may read again; the user's files stay as they are.
proc ::interfield::scratch {name mode} {
    variable written
    set whole [file normalize $name]
    if {![info exists ::env(INTERFIELD_RECORD)]} { return [open /dev/null w] }
    if {![dict exists $written $whole]} {
        set folder $::env(INTERFIELD_RECORD).written
        file mkdir $folder
        set path [file join $folder "[dict size $written]-[file tail $name]"]
        if {[file exists $whole] && ![string match w* $mode]} { file copy -force $whole $path }
        dict set written $whole $path
    }
    return [open [dict get $written $whole] $mode]
}
proc puts {args} {
    # What the script prints is for the screen, not for the record.
    set newline [expr {[lindex $args 0] ne "-nonewline"}]
    set rest [expr {$newline ? $args : [lrange $args 1 end]}]
    if {[llength $rest] > 1 && [lindex $rest 0] ni {stdout stderr}} { return [uplevel 1 [list ::interfield::puts {*}$args]] }
    if {$newline} { ::interfield::puts stderr [lindex $rest end] } else { ::interfield::puts -nonewline stderr [lindex $rest end] }
}

foreach ::interfield::name [concat $::interfield::commands $::interfield::questions] {
    proc ::$::interfield::name {args} "uplevel 1 \[list ::interfield::command $::interfield::name {*}\$args\]"
}
# What nobody knows is written down too: the translator says what it thinks of it.
proc unknown {name args} { uplevel 1 [list ::interfield::command $name {*}$args] }

# --- run -----------------------------------------------------------------------------------------------------------------------------------

proc ::interfield::main {} {
    variable record
    variable peer
    set script [lindex $::argv 0]
    if {[info exists ::env(INTERFIELD_RECORD)] && $::env(INTERFIELD_RECORD) ne ""} {
        set record [open $::env(INTERFIELD_RECORD) w]
        fconfigure $record -encoding utf-8 -buffering line
    }
    if {[info exists ::env(INTERFIELD_PEER)] && $::env(INTERFIELD_PEER) ne ""} {
        # Otherwise Tcl keeps to itself what it says.
        set peer [open "|$::env(INTERFIELD_PEER) 2>@stderr" r+]
        fconfigure $peer -encoding utf-8
    }
    put "{\"recorder\": \"tcl\", \"script\": [text $script], \"version\": 1}"
    set ::argv [lrange $::argv 1 end]
    set ::argc [llength $::argv]
    set ::argv0 $script
    set code [catch { uplevel #0 [list source $script] } message options]
    release
    # `return` at the top of a script ends it, as in OpenSees.
    if {$code in {0 2} || [lrange [dict get $options -errorcode] 0 2] eq "INTERFIELD EXIT 0"} {
        put "{\"end\": \"ok\"}"
    } else {
        lassign [fault $options $script] file line
        put "{\"end\": \"error\", \"message\": [text $message], \"file\": [text $file], \"line\": $line}"
    }
    if {$record ne ""} { close $record }
    if {$peer ne ""} { catch { close $peer } }
}

# File and line of an error, from Tcl's trace of it: the innermost line of a file.
proc ::interfield::fault {options script} {
    set trace [expr {[dict exists $options -errorinfo] ? [dict get $options -errorinfo] : ""}]
    set line [expr {[dict exists $options -errorline] ? [dict get $options -errorline] : 0}]
    if {[regexp {\(file "([^"]*)" line (\d+)\)} $trace _ file line]} { return [list $file $line] }
    return [list $script $line]
}

::interfield::main
