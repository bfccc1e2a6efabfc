"""The bench of tools: runs, cancel points, commits, acknowledgements, jobs. Keeps the ledger."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import cache

from simlab.core.inputs import Input, ToolCancelled, ToolEnded, ToolPrepared
from simlab.core.messages import Call, PlaceholderState, ToolResult
from simlab.core.record import Effect, RunOutcome, ToolRun, root_id
from simlab.sim.clock import COMMIT, EVENT, TOOL, Clock, rank
from simlab.sim.reading import CallRef, job_event_id, read_arguments
from simlab.sim.spec import Acts, CancelPoints, Plan, ToolModel
from simlab.sim.streams import Draws

# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_RUN, _FINISHED = Acts.RUN, RunOutcome.FINISHED


@cache
def _done(tool: str) -> ToolResult:
    return ToolResult(content=f"{tool}: done")


@dataclass(slots=True)
class Running:
    """A run in progress. ``index`` breaks ties; a run that is over is ``gone``."""

    run: ToolRun
    model: ToolModel
    index: int
    planned_ms: int
    ref: CallRef
    result: ToolResult
    job: bool = False
    gone: bool = False


class Bench:
    """Runs tools in virtual time and writes down what they really did.

    ``tell`` feeds an input to the agent; ``job_ended`` reports the end of a job to the world.
    """

    __slots__ = (
        "_attempt_counts",
        "_clock",
        "_draws",
        "_invented",
        "_job_counts",
        "_job_ended",
        "_latest_job",
        "_plan_of",
        "_resample",
        "_tell",
        "_tools",
        "effects",
        "jobs",
        "running",
        "runs",
    )

    def __init__(
        self,
        *,
        clock: Clock,
        tools: dict[str, ToolModel],
        draws: Draws,
        plan_of: Callable[[str], Plan],
        tell: Callable[[Input], None],
        job_ended: Callable[[str, str], None],
        resample: bool,
        invented: Set[str] = frozenset(),
    ) -> None:
        """``invented`` names the calls whose arguments rest on an invented value."""
        self._clock = clock
        self._tools = tools
        self._draws = draws
        self._plan_of = plan_of
        self._tell = tell
        self._job_ended = job_ended
        self._resample = resample
        self._invented = invented
        self._attempt_counts: dict[tuple[str, ...], int] = {}
        self.runs: list[ToolRun] = []
        self.effects: list[Effect] = []
        self.running: dict[str, Running] = {}
        self.jobs: dict[str, Running] = {}
        self._job_counts: dict[tuple[str, str], int] = {}
        self._latest_job: dict[tuple[str, str], str] = {}

    @property
    def has_jobs(self) -> bool:
        """Whether a job is under way, so that its end will still be reported."""
        return bool(self.jobs)

    # --- starting -----------------------------------------------------------------------------------------------

    def prepare(self, call: Call, index: int) -> None:
        """Prepare a tool, then say that it can be launched."""
        self._clock.after(self._tools[call.tool].prepare_ms, rank(TOOL, index), self._prepared, call.id)

    def _prepared(self, call_id: str) -> None:
        self._tell(ToolPrepared(call_id=call_id))

    def start(self, call: Call, index: int) -> None:
        """Run a tool. How long it takes was decided by the work, not by this attempt."""
        model = self._tools[call.tool]
        ref = read_arguments(call.arguments)
        if model.acts is _RUN or model.acts is Acts.CHECK:
            run_ms = self._run_ms(model, ref)
            running = self._begin(call.id, model, ref, index, run_ms)
            self.running[call.id] = running
            self._clock.after(min(run_ms, model.timeout_ms or run_ms), rank(TOOL, index), self._end, running)
            return
        running = self._begin(call.id, model, ref, index, 0, effect=False)
        self.running[call.id] = running
        running.result = ToolResult(content=self._act_on_job(model, ref, index, running.run))
        self._clock.after(0, rank(TOOL, index), self._end, running)

    def _run_ms(self, model: ToolModel, ref: CallRef) -> int:
        task_id, step, version, _attempt = ref
        law = self._plan_of(task_id).by_id[step].run_ms or model.run_ms
        if not self._resample:
            return round(law.quantile(self._draws.uniform("tool", task_id, step, version)))
        key = (task_id, step, version)
        count = self._attempt_counts[key] = self._attempt_counts.get(key, -1) + 1
        return round(law.quantile(self._draws.uniform("tool", *key, count)))

    def _begin(
        self, call_id: str, model: ToolModel, ref: CallRef, index: int, run_ms: int, *, effect: bool = True
    ) -> Running:
        tool = model.spec.name
        task_id, step, version, _attempt = ref
        run = ToolRun(call_id, tool, task_id, step, version, self._clock.now_ms)
        run.invented = call_id in self._invented
        self.runs.append(run)
        running = Running(run, model, index, run_ms, ref, _done(tool))
        fails = model.failure > 0 and (
            self._draws.uniform("fails", ref.task_id, ref.step, ref.version, ref.attempt) < model.failure
        )
        if fails:
            running.result = ToolResult(content=f"{model.spec.name}: failed", ok=False)
        elif effect and model.commit_share is not None:
            commit_ms = round(model.commit_share * run_ms)
            if model.timeout_ms is None or commit_ms <= model.timeout_ms:
                self._clock.after(commit_ms, rank(COMMIT, index), self._commit, running)
        return running

    # --- ending -------------------------------------------------------------------------------------------------

    def _commit(self, running: Running) -> None:
        if running.gone:
            return
        run = running.run
        run.committed_ms = self._clock.now_ms
        repeated = any(
            root_id(each.task_id) == root_id(run.task_id)
            and each.step == run.step
            and each.version == run.version
            and each.invented is run.invented
            for each in self.runs
            if each is not run and each.committed_ms is not None and each.undone_ms is None
        )
        self.effects.append(
            Effect(
                call_id=run.call_id,
                task_id=run.task_id,
                step=run.step,
                at_ms=run.committed_ms,
                duplicate=repeated and not running.model.spec.idempotent,
                invented=run.invented,
            )
        )

    def _end(self, running: Running) -> None:
        if running.gone:
            return
        running.gone = True
        del self.running[running.run.call_id]
        timeout_ms = running.model.timeout_ms
        if running.run.invented and running.model.acts is Acts.CHECK:
            running.result = ToolResult(content=f"{running.run.tool}: refused", ok=False)
        if timeout_ms is not None and running.planned_ms > timeout_ms:
            running.result = ToolResult(content=f"{running.run.tool}: timed out", ok=False)
            self._stop(running, RunOutcome.TIMED_OUT)
        else:
            self._stop(running, _FINISHED if running.result.ok else RunOutcome.FAILED)
        self._tell(ToolEnded(running.run.call_id, running.result))

    def _stop(self, running: Running, outcome: RunOutcome) -> None:
        running.gone = True
        running.run.stopped_ms = self._clock.now_ms
        running.run.outcome = outcome

    # --- cancelling ---------------------------------------------------------------------------------------------

    def cancel(self, call_id: str) -> None:
        """Signal a tool. It stops at its next cancel point, unless it ends (or cannot be cancelled) before that."""
        running = self.running.get(call_id)
        if running is None:  # it has stopped already; its acknowledgement is under way
            return
        running.run.cancel_asked_ms = self._clock.now_ms
        delay_ms = self._until_cancel_point(running)
        if delay_ms is not None:
            self._clock.after(delay_ms, rank(TOOL, running.index), self._cancelled, running)

    def _until_cancel_point(self, running: Running) -> int | None:
        model = running.model
        elapsed_ms = self._clock.now_ms - running.run.started_ms + model.signal_ms
        match model.cancel_points:
            case CancelPoints.NONE:
                return None
            case CancelPoints.ANYWHERE:
                return model.signal_ms
            case CancelPoints.STEPS:
                every_ms = model.cancel_every_ms
                return model.signal_ms + max(every_ms, -(-elapsed_ms // every_ms) * every_ms) - elapsed_ms

    def _cancelled(self, running: Running) -> None:
        if running.gone:
            return
        del self.running[running.run.call_id]
        self._stop(running, RunOutcome.CANCELLED)
        self._clock.after(running.model.ack_ms, rank(TOOL, running.index), self._acknowledge, running)

    def _acknowledge(self, running: Running) -> None:
        took_effect = running.run.committed_ms is not None
        known = PlaceholderState.CANCELLED_AFTER if took_effect else PlaceholderState.CANCELLED_BEFORE
        self._tell(ToolCancelled(call_id=running.run.call_id, state=known))

    def undo(self, call_id: str) -> None:
        """Undo or compensate the committed effect of a call, where its declaration allows it."""
        for run in self.runs:
            undoable = run.committed_ms is not None and self._tools[run.tool].spec.undo != "none"
            if run.call_id == call_id and undoable:
                run.undone_ms = self._clock.now_ms

    # --- jobs ---------------------------------------------------------------------------------------------------

    def _act_on_job(self, model: ToolModel, ref: CallRef, index: int, call: ToolRun) -> str:
        if model.acts is Acts.START:
            return self._start_job(model, ref, index, call)
        step = self._plan_of(ref.task_id).by_id[ref.step]
        job = self.jobs.get(self._latest_job.get((ref.task_id, step.job or ""), ""))
        if job is None:
            return f"{model.spec.name}: progress=100"
        share = 100 * (self._clock.now_ms - job.run.started_ms) / max(1, job.planned_ms)
        if model.acts is Acts.CANCEL:
            self._stop(job, RunOutcome.CANCELLED)
            del self.jobs[job.run.call_id]
            return f"{model.spec.name}: cancelled, id {job.run.call_id}, progress={share:.6f}"
        return f"{model.spec.name}: progress={share:.6f}"

    def _start_job(self, model: ToolModel, ref: CallRef, index: int, call: ToolRun) -> str:
        key = (ref.task_id, ref.step)
        count = self._job_counts[key] = self._job_counts.get(key, 0) + 1
        job_id = self._latest_job[key] = job_event_id(ref.task_id, ref.step, count)
        job = self._begin(job_id, model, ref, index, self._run_ms(model, ref))
        job.job = True
        job.run.invented = call.invented
        self.jobs[job_id] = job
        self._clock.after(job.planned_ms, rank(EVENT, index), self._finish_job, job)
        return f"{model.spec.name}: started, id {job_id}"

    def _finish_job(self, job: Running) -> None:
        if job.gone:
            return
        self._stop(job, _FINISHED)
        del self.jobs[job.run.call_id]
        self._job_ended(job.run.call_id, job.ref.step)
