//! A net's inputs. The planes show the board and its special squares. The features describe the other rules, so that
//! one net can play every rule set.

use tablut_rules::{
    Bitboard, CampEntry, CaptureCount, Escape, HostileCamps, Hostility, KingCapture, Landing, Move, Passing,
    RepetitionResult, RuleSet, Rules, ShieldWall, Side, Situation,
};

/// Number of input planes.
pub const PLANES: usize = 16;

/// The planes of one position, as sets of squares.
pub(crate) fn planes(situation: &Situation<&Rules, &[Move]>) -> [Bitboard; PLANES] {
    let (rules, position) = (situation.rules, &situation.position);
    let whole = |flag: bool| if flag { rules.size().board() } else { Bitboard::EMPTY };
    let mut capturable = Bitboard::EMPTY;
    let mut capturing = Bitboard::EMPTY;
    let beside_enemies = position.pieces(position.side_to_move().opponent()).neighbours();
    for &mv in situation.moves.iter().filter(|mv| beside_enemies.contains(mv.to)) {
        let captured = rules.captured(position, mv);
        if !captured.is_empty() {
            capturable |= captured;
            capturing.insert(mv.to);
        }
    }
    [
        position.attackers(),
        position.defenders(),
        position.king().into_iter().collect(),
        whole(position.side_to_move() == Side::Attackers),
        whole(position.side_to_move() == Side::Defenders),
        rules.throne(),
        rules.corners(),
        rules.camps(),
        rules.escapes(),
        rules.king_moves(position),
        rules.route_squares(position),
        whole(situation.occurrences >= 1),
        whole(situation.occurrences >= 2),
        situation.moves.iter().map(|mv| mv.to).collect(),
        capturable,
        capturing,
    ]
}

/// Number of scalar features.
pub const FEATURES: usize = 48;

/// Number of features that a rule set determines: all but the last, which counts plies.
pub const RULE_FEATURES: usize = FEATURES - 1;

/// Appends the [`FEATURES`] features of `set`, each from 0 to 1, but -1 for the size of the smallest board. The last one is
/// the share of the no-capture limit that `plies_since_capture` has used.
pub fn push_features(set: &RuleSet, plies_since_capture: u32, out: &mut Vec<f32>) {
    let start = out.len();
    let mut flags = Flags(out);
    let throne = &set.throne;
    flags.one_hot(&throne.landing, &[Landing::King, Landing::Anyone]);
    flags.one_hot(&throne.passing, &[Passing::Anyone]);
    for hostility in [&throne.hostile_to_attackers, &throne.hostile_to_defenders, &throne.hostile_to_king] {
        flags.one_hot(hostility, &[Hostility::WhenEmpty, Hostility::Always]);
    }
    flags.one_hot(&set.corners.landing, &[Landing::King, Landing::Anyone]);
    flags.push(set.corners.hostile_to_soldiers);
    flags.push(set.corners.hostile_to_king);
    let entries = [CampEntry::Anyone, CampEntry::Soldiers, CampEntry::Attackers, CampEntry::AttackersWithin];
    flags.one_hot(&set.camps.entry, &entries);
    for camps in [&set.camps.hostile_to_attackers, &set.camps.hostile_to_defenders, &set.camps.hostile_to_king] {
        flags.one_hot(camps, &[HostileCamps::AllButEdgeMiddles, HostileCamps::All]);
    }
    let king = &set.king;
    flags.push(king.armed);
    flags.0.push(king.reach as f32 / set.size().max_distance() as f32);
    for capture in [&king.on_throne, &king.beside_throne, &king.elsewhere] {
        flags.one_hot(capture, &[KingCapture::Surrounded]);
    }
    flags.push(king.throne_closes);
    flags.push(king.edge_closes);
    flags.push(king.corner_closes);
    flags.one_hot(&set.captures.count, &[CaptureCount::OneChosen]);
    flags.push(set.captures.pinned_defender);
    let results = [RepetitionResult::Draw, RepetitionResult::MoverLoses, RepetitionResult::AggressorLoses];
    flags.one_hot(&set.repetition.result, &results);
    flags.push(set.repetition.occurrences == 2);
    flags.one_hot(&set.escape, &[Escape::Edge, Escape::Corners, Escape::EdgeOutsideCamps]);
    flags.push(set.no_capture_plies.is_some());
    // One number for the size, and not a flag for each, so that a net can do something with a size that is new to it.
    flags.0.push(set.size().index() as f32 - 1.0);
    flags.one_hot(&set.captures.shield_wall, &[ShieldWall::Pieces, ShieldWall::PiecesAndCorners]);
    flags.push(set.exit_fort);
    flags.push(set.encirclement);
    flags.push(set.repetition.result == RepetitionResult::DefendersLose);
    let limit = set.no_capture_plies.unwrap_or(0);
    flags.0.push(if limit > 0 { (plies_since_capture as f32 / limit as f32).min(1.0) } else { 0.0 });
    debug_assert_eq!(out.len() - start, FEATURES);
}

struct Flags<'a>(&'a mut Vec<f32>);

impl Flags<'_> {
    fn push(&mut self, flag: bool) {
        self.0.push(if flag { 1.0 } else { 0.0 });
    }

    /// One flag for each of `values`. A flag is set if its value equals `value`.
    fn one_hot<T: PartialEq>(&mut self, value: &T, values: &[T]) {
        for candidate in values {
            self.push(value == candidate);
        }
    }
}
