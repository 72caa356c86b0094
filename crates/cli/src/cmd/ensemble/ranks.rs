//! A study shared by the processes that `mpirun` has started: each has a piece of it, in the folder that all of them see, and the first one puts
//! the pieces together.

use super::shards::Shard;
use super::{Args, ask};
use crate::Exit;
use crate::output::{complain, fail_all};
use crate::team::Team;

/// Runs a study with the other ranks.
pub(super) fn share(args: &Args, team: &Team) -> Exit {
    let (rank, count) = (team.ranks.rank(), team.ranks.count());
    let options =
        [("--shard", args.shard.is_some()), ("--merge", args.merge.is_some()), ("--truths", args.truths.is_some())];
    let mistakes: Vec<(String, String)> = options
        .iter()
        .filter(|(_, given)| *given)
        .map(|(option, _)| {
            let help =
                format!("omit {option}: the ranks divide the study and put it together; or start it without mpirun");
            (format!("{option} cannot be used on several ranks"), help)
        })
        .collect();
    if !mistakes.is_empty() {
        if team.is_first() {
            fail_all(args.json, None, None, &mistakes);
        }
        return Exit::BadInput;
    }
    let piece = Args {
        shard: Some(Shard::of_rank(rank, count)),
        silent: true,
        quiet: args.quiet || rank > 0,
        json: args.json && rank == 0,
        ..args.clone()
    };
    let own = ask(&piece).unwrap_or_else(|exit| exit);
    if rank > 0 {
        team.ranks.send(0, &[0.0, f64::from(own as u8)]);
        return own;
    }
    let done = |rank: &usize| team.ranks.receive(*rank) == Some(vec![0.0, f64::from(Exit::Done as u8)]);
    let open: Vec<String> = (1..count).filter(|rank| !done(rank)).map(|rank| rank.to_string()).collect();
    if own != Exit::Done {
        return own;
    }
    if !open.is_empty() {
        complain(&format!("error: rank {} did not finish its piece of the study", open.join(", ")));
        complain("help: the same command, with as many ranks, goes on from what is done");
        return Exit::Fault;
    }
    ask(&Args { merge: Some(Vec::new()), ..args.clone() }).unwrap_or_else(|exit| exit)
}
