//! One cell, from its text to its outcome: compile it, as often as rustc teaches something, then run it and pass on what the worker says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use footlight_channel::{Event, Mode, PlaceRange, Ran, Request, Run};
use tokio::time::Instant;

use super::Failure;
use super::engine::{Signals, State, Tools};
use super::failures;
use super::orders::orders;
use super::probe::Question;
use crate::cell::displays::show_by_value;
use crate::cell::edits::CellText;
use crate::cell::foresee::foresee;
use crate::cell::items::{Change, LiveUse, Unit, UnitKind, unit_key};
use crate::cell::learn::learn;
use crate::cell::source::{Fixes, Source, source};
use crate::cell::split::{SplitError, split};
use crate::cell::types::{Untranslated, translate};
use crate::cell::{Definition, Plan, Variable, without};
use crate::journal;
use crate::magics::Orders;
use crate::magics::time::Stopwatch;
use crate::notebook::Notebook;
use crate::notebook::variables::{self, State as Where};
use crate::outputs::{Outputs, StreamName};
use crate::rustc::{Aim, Compiled, compile};
use crate::worker::{Handle, Said};

/// How often rustc may teach something about one cell.
const ROUNDS: usize = 12;

/// How long a cell may run on after an interrupt before the user is told why, and what another one does.
const OVERDUE: Duration = Duration::from_millis(1500);

/// A cell to run.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) text: Arc<CellText>,
    pub(super) count: u32,
    /// Show the last expression.
    pub(super) show: bool,
}

/// What a plan does to the notebook; the plan itself holds syntax that can't leave its thread.
struct Effects {
    variables: Vec<Variable>,
    units: Vec<Unit>,
    uses: Vec<LiveUse>,
    change: Change,
    unavailable: Vec<(String, Where)>,
    /// Variables, by their place among `variables`, that borrow from others.
    borrowed: BTreeSet<usize>,
}

struct Built {
    library: std::path::PathBuf,
    /// Older items that don't compile with the cell's new ones; by `unit_key`.
    kept: BTreeSet<String>,
    source: Arc<Source>,
    effects: Effects,
}

/// Runs a cell; its last expression's text.
pub(super) async fn run(
    state: &mut State,
    signals: &mut Signals,
    cell: Cell,
    outputs: &Outputs,
) -> Result<Option<String>, Failure> {
    let tools = tokio::select! {
        ready = state.ready() => ready.map_err(|error| failures::plain("NotReady", &error.to_string()))?,
        () = signals.next() => return Err(failures::interrupted()),
    };
    if let Some(death) = state.worker.as_mut().and_then(|worker| worker.ended()) {
        state.worker = None;
        let lost = state.notebook.variables.lose_all();
        outputs.stream(StreamName::Stderr, failures::died_between(&death, &lost)).await;
        state.ready().await.map_err(|error| failures::plain("NotReady", &error.to_string()))?;
    }
    let Some(orders) = orders(state, signals, &cell.text, outputs).await? else { return Ok(None) };
    let mut watch = Stopwatch::start(orders.timed);
    let built = tokio::select! {
        built = build(state, &tools, &orders) => built?,
        () = signals.next() => return Err(failures::interrupted()),
    };
    let Built { library, source, effects, kept } = built;
    let text = orders.text;
    if let Some(said) = left_behind(&state.notebook, &effects, &kept) {
        outputs.stream(StreamName::Stderr, said).await;
    }
    watch.compiled();
    state.sources.insert(text.label.clone(), source.clone());
    let number = text.number;
    state.notebook.items.commit(&effects.change, effects.units.clone(), effects.uses.clone(), number);
    forget_renamed(state, &effects.units);
    let Some(entry) = source.entry.clone() else {
        watch.print(false, outputs).await;
        return Ok(None);
    };
    let run = Run {
        cell: number,
        label: text.label.clone(),
        library,
        entry,
        source: cell.text.text.clone(),
        places: source.places.iter().map(place_range).collect(),
        mode: orders.mode,
        show: cell.show,
    };
    let turn = turn(state, signals, run, &text, cell.count, outputs).await;
    watch.print(true, outputs).await;
    let mut failure = turn.failure;
    if let Some(death) = turn.death {
        let lost = state.notebook.variables.lose_all();
        failure = Some(failures::death(&death, &text.label, &lost));
        // The next cell finds a worker; why there is none, it says where the user looks.
        if let Err(error) = state.ready().await {
            journal::note(error);
        }
    } else {
        let unknown = remember(&mut state.notebook, &text, &effects, turn.stored, turn.ran);
        state.question = (!unknown.is_empty()).then_some(Question { text, source, variables: unknown });
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(turn.result),
    }
}

/// What is said of older items that don't compile with the cell's new ones, and so go on with the old ones.
fn left_behind(notebook: &Notebook, effects: &Effects, kept: &BTreeSet<String>) -> Option<String> {
    let left = notebook.items.units.iter().filter(|unit| kept.contains(&unit_key(unit)));
    let new: BTreeSet<String> = effects.change.superseded.iter().map(|unit| format!("`{}`", unit.title())).collect();
    let new = new.into_iter().collect::<Vec<_>>().join(", ");
    let said = left.map(|unit| {
        let (title, label) = (unit.title(), &unit.cell.label);
        format!("note: `{title}` of {label} does not compile with the new {new}, and goes on with the old. Run {label} again to see why.\n")
    });
    Some(said.collect::<String>()).filter(|said| !said.is_empty())
}

/// A new `fn`, `const` or `static` takes the place of a variable of its name, which would hide it from later cells.
fn forget_renamed(state: &mut State, units: &[Unit]) {
    let values = units.iter().filter(|unit| matches!(unit.kind, UnitKind::Fn | UnitKind::Value));
    let variables = &mut state.notebook.variables;
    let names: Vec<String> =
        values.filter_map(|unit| unit.name.clone()).filter(|name| variables.remove(name).is_some()).collect();
    if let (false, Some(worker)) = (names.is_empty(), &state.worker) {
        worker.handle().send(Request::Forget { names });
    }
}

/// Compiles until rustc is content or has nothing more to teach.
async fn build(state: &State, tools: &Tools, orders: &Orders) -> Result<Built, Failure> {
    let Orders { text, blanks, mode, .. } = orders;
    let file = &text.label;
    // A mistake in what a magic puts its own text around is to be seen without that.
    let unwrapped = orders.unwrapped.as_ref().map(|(text, blanks)| without(&text.text, blanks));
    if let Some(error) = unwrapped.and_then(|text| split(&text, &|_| false).err()) {
        return Err(syntax_error(state, tools, orders, error).await);
    }
    let plan = Plan::new(text, blanks.to_vec(), &state.notebook, &BTreeSet::new());
    let mut fixes = plan.map_or_else(|_| Fixes::default(), |plan| foresee(&plan));
    for _ in 0..ROUNDS {
        let (source, effects) = match prepare(text, blanks, *mode, &state.notebook, &fixes) {
            Ok(prepared) => prepared,
            Err(error) => return Err(syntax_error(state, tools, orders, error).await),
        };
        let compiled = compile(&tools.toolchain, &tools.folder, text.number, file, &source, Aim::Library).await;
        match compiled.map_err(|error| failures::plain("CompilerError", &error.to_string()))? {
            Compiled::Library(library) => {
                return Ok(Built { library, source: Arc::new(source), effects, kept: fixes.kept });
            }
            Compiled::Errors(diagnostics) => {
                let plan = Plan::new(text, blanks.to_vec(), &state.notebook, &fixes.kept);
                match plan.ok().and_then(|plan| learn(&plan, &source, &fixes, &diagnostics, file)) {
                    Some(learned) => fixes = learned,
                    None => {
                        let Effects { unavailable, variables, units, .. } = &effects;
                        let known = failures::Known { unavailable, variables, units };
                        return Err(failures::compile(&diagnostics, &source, text, &state.notebook, known));
                    }
                }
            }
        }
    }
    Err(failures::plain("CompilerError", "this cell could not be made to compile: split it into smaller cells"))
}

fn prepare(
    text: &Arc<CellText>,
    blanks: &[std::ops::Range<usize>],
    mode: Mode,
    notebook: &Notebook,
    fixes: &Fixes,
) -> Result<(Source, Effects), SplitError> {
    let mut plan = Plan::new(text, blanks.to_vec(), notebook, &fixes.kept)?;
    for unit in &mut plan.units {
        show_by_value(&fixes.displays, &unit.range, &mut unit.edits);
    }
    plan.trial = mode == Mode::Stage { compare: true };
    let source = source(&plan, fixes);
    let Plan { variables, units, own_uses: uses, change, unavailable, .. } = plan;
    Ok((source, Effects { variables, units, uses, change, unavailable, borrowed: fixes.unstored.clone() }))
}

/// The codes of strings, characters and comments without an end.
const UNTERMINATED: &[&str] = &["E0748", "E0758", "E0762", "E0763", "E0765", "E0766"];

/// What rustc says of a text that syn can't read; it says it better.
async fn syntax_error(state: &State, tools: &Tools, orders: &Orders, error: SplitError) -> Failure {
    let whole = (&orders.text, &orders.blanks);
    // What a magic put around the cell would be seen in the message.
    let bare = orders.unwrapped.as_ref().map_or(whole, |(text, blanks)| (text, blanks));
    let tries: &[_] = match error {
        // Brackets that don't match would be matched with those of a frame, so that is left out first.
        SplitError::Tokens(_) => &[(bare, false), (whole, false), (bare, true), (whole, true)],
        SplitError::Syntax { .. } => &[(bare, true), (whole, true)],
        _ => &[],
    };
    for &((text, blanks), framed) in tries {
        let source = Source::unsplit(text, blanks, framed);
        let compiled = compile(&tools.toolchain, &tools.folder, text.number, &text.label, &source, Aim::Errors).await;
        let Ok(Compiled::Errors(mut diagnostics)) = compiled else { continue };
        // rustc mends what it can and goes on to names, of which this text has none: the notebook's, the prelude's.
        diagnostics.retain(|error| error.code().is_empty() || UNTERMINATED.contains(&error.code()));
        if diagnostics.is_empty() {
            continue;
        }
        let of_tokens = |message: &str| message.contains("delimiter") || message.contains("unterminated");
        if framed || diagnostics.iter().any(|error| of_tokens(&error.message)) {
            return failures::compile(&diagnostics, &source, text, &state.notebook, failures::Known::default());
        }
    }
    failures::plain("SyntaxError", &error.to_string())
}

fn place_range(place: &crate::cell::source::LinePlace) -> PlaceRange {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    PlaceRange {
        generated_line: narrow(place.generated_line),
        lines: narrow(place.lines),
        label: place.label.clone(),
        line: narrow(place.line),
    }
}

/// What came of a turn.
#[derive(Default)]
struct Turn {
    result: Option<String>,
    failure: Option<Failure>,
    death: Option<crate::worker::Death>,
    /// Which statements ran.
    ran: Ran,
    /// Names and their `type_name`, summary.
    stored: BTreeMap<String, (String, Option<String>)>,
}

/// Runs a compiled cell in the worker and passes on what it says.
async fn turn(state: &mut State, signals: &mut Signals, run: Run, text: &Arc<CellText>, count: u32, outputs: &Outputs) -> Turn {
    let mut turn = Turn::default();
    let Some(mut worker) = state.worker.take() else { return turn };
    let handle = worker.handle();
    let number = run.cell;
    worker.run(run);
    let mut stop = Stop { handle: handle.clone(), asked: None, told: false, killed: false };
    loop {
        let said = tokio::select! {
            biased;
            () = signals.next() => {
                stop.ask(signals.stopping());
                continue;
            }
            () = stop.overdue() => {
                stop.tell(outputs);
                continue;
            }
            said = worker.next() => said,
        };
        match said {
            Said::Text(name, text) => outputs.stream(name, text).await,
            Said::Content(bundle) => outputs.display(bundle, None, false).await,
            Said::Event(Event::Display { seq, bundle, id, update }) => {
                outputs.display(bundle, id, update).await;
                handle.send(Request::Ack { seq });
            }
            Said::Event(Event::ClearOutput { seq, wait }) => {
                outputs.clear_output(wait).await;
                handle.send(Request::Ack { seq });
            }
            Said::Event(Event::Result { seq, bundle }) => {
                turn.result = bundle.get("text/plain").and_then(|text| text.as_str()).map(str::to_owned);
                outputs.execute_result(count, bundle).await;
                handle.send(Request::Ack { seq });
            }
            Said::Event(Event::InputRequest { prompt, password }) => {
                let (line, refusal) = tokio::select! {
                    answer = outputs.input(prompt, password) => match answer {
                        Ok(line) => (Some(line), None),
                        Err(error) => (None, Some(error.to_string())),
                    },
                    () = signals.next() => {
                        stop.ask(signals.stopping());
                        (None, None)
                    }
                };
                handle.send(Request::Input { line, refusal });
            }
            Said::Event(Event::Stored { name, type_name, summary }) => {
                turn.stored.insert(name, (type_name, summary));
            }
            Said::Event(Event::Failed(failure)) => turn.failure = Some(failures::cell(&failure, text, &state.sources)),
            Said::Event(Event::Done { cell, ran }) if cell == number => {
                turn.ran = ran;
                break;
            }
            Said::Event(Event::Done { .. } | Event::Ready { .. }) => {}
            Said::Died(death) => {
                turn.death = Some(if stop.killed { death.by_interrupt() } else { death });
                return turn;
            }
        }
    }
    state.worker = Some(worker);
    turn
}

/// How a running cell is stopped: politely at first, and by its process's end once the user was told what that costs.
struct Stop {
    handle: Handle,
    /// When the first interrupt came.
    asked: Option<Instant>,
    /// The user knows that another interrupt ends the worker.
    told: bool,
    killed: bool,
}

impl Stop {
    /// The user's interrupt, or the session's end.
    fn ask(&mut self, session_ends: bool) {
        if self.told || session_ends {
            self.handle.kill();
            self.killed = true;
        } else if self.asked.is_none() {
            self.handle.interrupt();
            self.asked = Some(Instant::now());
        }
    }

    /// Returns when the cell has outlived its interrupt for too long; never once the user was told.
    async fn overdue(&self) {
        match self.asked {
            Some(asked) if !self.told => tokio::time::sleep_until(asked + OVERDUE).await,
            _ => std::future::pending().await,
        }
    }

    /// Tells the user why the cell goes on.
    fn tell(&mut self, outputs: &Outputs) {
        outputs.notice(
            "the interrupt waits for an operation that can't be stopped midway; interrupt again to end the worker, which loses the variables",
        );
        self.told = true;
    }
}

/// Notes what the cell stored, moved away or could not store. Returns the stored variables whose types rustc must be asked for, with
/// their places among the cell's.
fn remember(
    notebook: &mut Notebook,
    text: &CellText,
    effects: &Effects,
    stored: BTreeMap<String, (String, Option<String>)>,
    ran: Ran,
) -> Vec<(usize, String)> {
    if ran == Ran::Nothing {
        return Vec::new();
    }
    let mut unknown = Vec::new();
    for (id, variable) in effects.variables.iter().enumerate() {
        let name = variable.name.trim_start_matches("r#");
        if stored.contains_key(name) {
            continue;
        }
        match variable.definition {
            Definition::Taken { .. } => {
                if let Some(known) = notebook.variables.get_mut(name) {
                    known.state = Where::Moved { by: text.label.clone() };
                }
            }
            // An older variable of the name stays; the statement that would have shadowed it may not have run.
            Definition::Let { .. } if notebook.variables.get(name).is_none() => {
                let state = if effects.borrowed.contains(&id) {
                    Where::Borrowed
                } else if ran == Ran::All {
                    Where::Moved { by: text.label.clone() }
                } else {
                    Where::NotRun { in_cell: text.label.clone() }
                };
                let entry = variables::Variable {
                    mutable: variable.mutable,
                    cell: text.label.clone(),
                    state,
                    bytes: None,
                    summary: None,
                };
                notebook.variables.set(name, entry);
            }
            Definition::Let { .. } => {}
        }
    }
    for (name, (type_name, summary)) in stored {
        let definition = |item: &str| notebook.items.get(item).map(|unit| unit.tokens.clone());
        let state = match translate(&type_name, &definition) {
            Ok(stored) => Where::Stored(stored),
            Err(Untranslated::Unnameable) => Where::Unnameable { type_name },
            Err(Untranslated::Unknown) => Where::Unknown { type_name },
        };
        let place = effects.variables.iter().rposition(|variable| variable.name.trim_start_matches("r#") == name);
        if let (Where::Unknown { .. }, Some(id)) = (&state, place) {
            unknown.push((id, name.clone()));
        }
        let last = place.map(|id| &effects.variables[id]);
        let mutable = last.is_some_and(|variable| variable.mutable);
        // Taken and put back, it is still the variable of the cell that defined it.
        let defined =
            notebook.variables.get(&name).filter(|_| last.is_some_and(Variable::is_taken)).map(|known| known.cell.clone());
        let cell = defined.unwrap_or_else(|| text.label.clone());
        notebook.variables.set(name, variables::Variable { mutable, cell, state, bytes: None, summary });
    }
    unknown
}
