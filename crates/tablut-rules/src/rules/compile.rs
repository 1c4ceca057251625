//! Compiles a rule set's data into masks.

use crate::bitboard::{Bitboard, STEPPED};
use crate::board::{Direction, Square};
use crate::rays::{EscapePaths, Rays};
use crate::rules::count::SHORT;
use crate::rules::{Hostile, KingFall, Rules, Walk};
use crate::ruleset::{
    CampEntry, CaptureCount, Escape, HostileCamps, Hostility, KingCapture, Landing, Passing, RuleSet, RuleSetError,
    ShieldWall,
};
use crate::side::Piece;

impl Rules {
    /// Checks a rule set and compiles it.
    ///
    /// # Errors
    /// If values are out of range or contradict each other.
    pub fn new(set: RuleSet) -> Result<Rules, RuleSetError> {
        set.check()?;
        Ok(compile(set))
    }
}

fn compile(set: RuleSet) -> Rules {
    let size = set.size();
    let corners = size.corners();
    let edge = size.edge();
    let camps = set.start.attackers();
    let escapes = match set.escape {
        Escape::Edge => edge,
        Escape::Corners => corners,
        Escape::EdgeOutsideCamps => edge - camps,
    };
    let walks = Piece::ALL.map(|piece| walk(&set, piece));
    let king = &walks[Piece::King.index()];
    let king_rays = Box::new(Rays::new(set.king.reach as usize));
    Rules {
        board: size.board(),
        edge,
        centre: size.centre(),
        throne: special(has_throne(&set), Bitboard::of(size.centre())),
        corners: special(has_corners(&set), corners),
        camps: special(has_camps(&set), camps),
        escape_paths: Box::new(EscapePaths::new(&king_rays, king.closed, king.halting, escapes - king.barred)),
        escapes,
        walks,
        hostile: Piece::ALL.map(|piece| hostile(&set, piece)),
        king_rays,
        king_fall: king_fall(&set),
        king_armed: set.king.armed,
        one_chosen: set.captures.count == CaptureCount::OneChosen,
        pinned_defender: set.captures.pinned_defender,
        long_lines: size.doublings() > SHORT,
        shield_walls: set.captures.shield_wall != ShieldWall::Never,
        enclosures: set.exit_fort || set.encirclement,
        set,
    }
}

fn special(exists: bool, squares: Bitboard) -> Bitboard {
    if exists { squares } else { Bitboard::EMPTY }
}

/// Whether two camps belong to the same group of touching camps.
fn same_group(camps: Bitboard, a: Square, b: Square) -> bool {
    let mut group = Bitboard::of(a);
    for _ in 0..camps.len() {
        group |= group.neighbours() & camps;
    }
    camps.contains(a) && group.contains(b)
}

/// Whether the middle square differs from an ordinary one.
fn has_throne(set: &RuleSet) -> bool {
    let throne = &set.throne;
    let never = [throne.hostile_to_attackers, throne.hostile_to_defenders, throne.hostile_to_king]
        .iter()
        .all(|&h| h == Hostility::Never);
    !(never
        && throne.landing == Landing::Anyone
        && throne.passing == Passing::Anyone
        && !set.king.throne_closes
        && !set.captures.pinned_defender
        && set.king.on_throne == set.king.elsewhere
        && set.king.beside_throne == set.king.elsewhere)
}

/// Whether the corners differ from other edge squares.
fn has_corners(set: &RuleSet) -> bool {
    let corners = &set.corners;
    set.escape == Escape::Corners
        || corners.landing != Landing::Anyone
        || corners.hostile_to_soldiers
        || corners.hostile_to_king
        || set.king.corner_closes
}

fn has_camps(set: &RuleSet) -> bool {
    let camps = &set.camps;
    set.escape == Escape::EdgeOutsideCamps
        || camps.entry != CampEntry::Anyone
        || camps.hostile_to_attackers != HostileCamps::None
        || camps.hostile_to_defenders != HostileCamps::None
        || camps.hostile_to_king != HostileCamps::None
}

fn may_land(landing: Landing, piece: Piece) -> bool {
    match landing {
        Landing::Nobody => false,
        Landing::King => piece == Piece::King,
        Landing::Anyone => true,
    }
}

fn walk(set: &RuleSet, piece: Piece) -> Walk {
    let throne = Bitboard::of(set.size().centre());
    let lands = may_land(set.throne.landing, piece);
    let passes = set.throne.passing == Passing::Anyone;
    let off_board = Bitboard::FULL - set.size().board();
    let mut always_closed = off_board | special(!lands && !passes, throne);
    if !may_land(set.corners.landing, piece) {
        always_closed |= set.size().corners();
    }
    let closed = Direction::ALL.map(|d| always_closed | closed_camps(set, piece, d));
    Walk {
        closed,
        open: Direction::ALL.map(|d| Bitboard::from_bits(STEPPED[d.index()]) - closed[d.index()]),
        halting: special(lands && !passes, throne),
        barred: special(!lands && passes, throne),
    }
}

/// The camps that a piece may not enter when it moves in a direction. One step decides this: the camps of a group are
/// contiguous in every line, or the move would leave the group and enter it again.
fn closed_camps(set: &RuleSet, piece: Piece, direction: Direction) -> Bitboard {
    let camps = set.start.attackers();
    match (set.camps.entry, piece) {
        (CampEntry::AttackersWithin, Piece::Attacker) => camps
            .iter()
            .filter(|camp| {
                let before = camp.step(direction.opposite());
                !before.is_some_and(|before| same_group(camps, *camp, before))
            })
            .collect(),
        (CampEntry::Anyone, _)
        | (CampEntry::Soldiers, Piece::Attacker | Piece::Defender)
        | (CampEntry::Attackers, Piece::Attacker) => Bitboard::EMPTY,
        _ => camps,
    }
}

fn hostile(set: &RuleSet, piece: Piece) -> Hostile {
    let (throne, camps, corners) = match piece {
        Piece::Attacker => {
            (set.throne.hostile_to_attackers, set.camps.hostile_to_attackers, set.corners.hostile_to_soldiers)
        }
        Piece::Defender => {
            (set.throne.hostile_to_defenders, set.camps.hostile_to_defenders, set.corners.hostile_to_soldiers)
        }
        Piece::King => (set.throne.hostile_to_king, set.camps.hostile_to_king, set.corners.hostile_to_king),
    };
    let size = set.size();
    let camps = match camps {
        HostileCamps::None => Bitboard::EMPTY,
        HostileCamps::AllButEdgeMiddles => {
            let middles = size.edge().iter().filter(|s| s.line_to(size.centre()).is_some()).collect();
            set.start.attackers() - middles
        }
        HostileCamps::All => set.start.attackers(),
    };
    let centre = Bitboard::of(size.centre());
    Hostile {
        always: camps | special(corners, size.corners()) | special(throne == Hostility::Always, centre),
        when_empty: special(throne == Hostility::WhenEmpty, centre),
    }
}

fn king_fall(set: &RuleSet) -> KingFall {
    let king = &set.king;
    let throne = Bitboard::of(set.size().centre());
    let beside = throne.neighbours();
    let between = |how| how == KingCapture::BetweenTwo;
    KingFall {
        between: special(between(king.on_throne), throne)
            | special(between(king.beside_throne), beside)
            | special(between(king.elsewhere), set.size().board() - (throne | beside)),
        closing: Hostile {
            always: special(king.corner_closes, set.size().corners()),
            when_empty: special(king.throne_closes, throne),
        },
        edge_closes: king.edge_closes,
    }
}
