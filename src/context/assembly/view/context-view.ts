import {
  type Event,
  functionCalls,
  noActions,
  type SeqRange,
  subtractRanges,
  type View,
} from '../../../events/index.ts';
import { assemble } from '../assemble.ts';
import type { Assembly, StageCounts } from '../assembly.ts';
import { endedBranch } from '../hide-invisible.ts';
import { orderBySeq } from '../order-by-seq.ts';
import type { ChangeCollector } from './change-collector.ts';
import { stages } from './held-log.ts';
import { compareOutlooks, isTurning, type Outlook, type OutlookChange, outlookBehind, outlookOf } from './outlook.ts';
import type { SpanFacts } from './span.ts';
import { SpanChain, type SpanSize } from './span-chain.ts';
import { lengthOf, questionOf, type SpanLink } from './span-link.ts';
import { StandingEvents } from './standing-events.ts';

/** The conversation as one agent is given it, kept up to date while the log grows. */
export interface ContextView {
  /**
   * Takes in the next event of the log. `reload`: the view cannot go on from the events that it holds, and stays as it
   * was; make a new one. That is so where an event is missing in between, and where one brings back what the view was
   * never given. An event that it holds already changes nothing.
   */
  push(event: Event): 'ok' | 'reload';
  /** The same as `assemble()` makes of the same events. It stays valid when more are pushed. */
  assembly(): Assembly;
}

/**
 * Makes a view of the given events: all of a session, or the uncovered ones with the bookkeeping, through a seq (by
 * default the last one given). Pushing an event and asking for the assembly takes constant time, amortised, where the
 * event hides and covers nothing. A compaction takes time in the uncovered events of its span, a rewind in its span, a
 * late response in what stands between it and its call; with a history other than `full`, each of them in all that is
 * held. Bookkeeping costs what other bookkeeping still says something, or all of it where a rewind reaches back above
 * some. The list of contents is put together when it is first read (it copies pointers); why an event stands where it
 * does is worked out, by `assemble()`, when it is first asked.
 */
export function createContextView(view: View, events: Iterable<Event> = [], throughSeq?: number): ContextView {
  return new LogView(view, orderBySeq(events), { throughSeq });
}

/** A context view, and how large the spans are in which it lays the conversation out. */
export class LogView implements ContextView {
  readonly #view: View;
  readonly #turning: Event[];
  readonly #standing: StandingEvents;
  readonly #chain: SpanChain;
  #outlook: Outlook;
  #throughSeq: number;
  #assembly: Assembly | undefined;

  constructor(
    view: View,
    events: readonly Event[],
    { throughSeq = 0, spans }: { readonly throughSeq?: number | undefined; readonly spans?: SpanSize } = {},
  ) {
    this.#view = view;
    this.#turning = events.filter((event) => isTurning(event, view));
    this.#outlook = outlookOf(this.#turning, view);
    this.#throughSeq = Math.max(throughSeq, events.at(-1)?.seq ?? 0);
    const standing = new StandingEvents(view, this.#outlook);
    this.#standing = standing;
    this.#chain = new SpanChain(() => factsOf(standing), spans);
    this.#apply(standing.begin(events));
  }

  push(event: Event): 'ok' | 'reload' {
    if (event.seq <= this.#throughSeq) return this.#standing.log.holds(event.seq) ? 'ok' : 'reload';
    if (event.seq !== this.#throughSeq + 1) return 'reload';
    if (this.#turnsOutlook(event)) {
      const outlook = outlookBehind(event, this.#outlook, this.#turning, this.#view);
      const change = compareOutlooks(this.#outlook, outlook);
      if (this.#lacks(event, outlook, change)) return 'reload';
      this.#outlook = outlook;
      this.#apply(this.#standing.turn(event, outlook, change));
    } else {
      if (this.#hasGaps && this.#standing.answersUnknown(event)) return 'reload';
      this.#apply(this.#standing.admit(event));
    }
    if (isTurning(event, this.#view)) this.#turning.push(event);
    this.#throughSeq = event.seq;
    this.#assembly = undefined;
    return 'ok';
  }

  assembly(): Assembly {
    this.#assembly ??= this.#assemble();
    return this.#assembly;
  }

  #turnsOutlook(event: Event): boolean {
    const { actions } = event;
    if (actions === noActions) return false;
    if (actions.compaction ?? actions.rewind ?? actions.pin ?? actions.unpin ?? actions.trim) return true;
    const ended = endedBranch(event, this.#view);
    return ended !== undefined && !this.#outlook.ended.has(ended);
  }

  /** True if events were never given: covered ones, as a rule. */
  get #hasGaps(): boolean {
    return this.#standing.log.events.length < this.#throughSeq;
  }

  /** True if the view cannot tell what stands next, since it was never given some of it. */
  #lacks({ actions }: Event, outlook: Outlook, change: OutlookChange): boolean {
    if (!this.#hasGaps) return false;
    const { log } = this.#standing;
    const { coverage } = outlook;
    const isLost = (seq: number) => seq <= this.#throughSeq && (!log.holds(seq) || this.#standing.isSetAside(seq));
    // What it lacks of a rewound span may be bookkeeping that said nothing until now.
    const rewound: SeqRange[] = actions.rewind === undefined ? [] : [[actions.rewind.fromSeq, this.#throughSeq]];
    return (
      log.lacks(rewound, this.#throughSeq) ||
      log.lacks(change.revealed, this.#throughSeq) ||
      log.lacks(change.uncovered, this.#throughSeq) ||
      change.pinned.some((seq) => coverage.pinned.has(seq) && (isLost(seq) || this.#mayLackAnswers(seq))) ||
      (change.ended.length > 0 && log.lacksLive(coverage, this.#throughSeq)) ||
      ((change.rewoundFrom < this.#throughSeq || change.ended.length > 0) && this.#lacksQuestion(outlook))
    );
  }

  /** True if a call that is pinned may have an answer that was never given: that stays with it, though it is covered. */
  #mayLackAnswers(seq: number): boolean {
    const { log } = this.#standing;
    const makesCalls = functionCalls(log.get(seq)?.content).length > 0;
    return makesCalls && log.lacks([[seq + 1, this.#throughSeq]], this.#throughSeq);
  }

  /** True if something that was never given may be the newest question, or its answer. */
  #lacksQuestion(outlook: Outlook): boolean {
    const { log } = this.#standing;
    const above = this.#standing.questionBy(outlook)?.seq ?? 1;
    const seen = subtractRanges([[above, this.#throughSeq]], outlook.coverage.hidden);
    return log.lacks(seen, this.#throughSeq);
  }

  #apply({ isEmpty, from, to, added }: ChangeCollector): void {
    const { log } = this.#standing;
    if (!isEmpty) this.#chain.change({ from, to, added, stands: ({ seq }) => log.stageOf(seq) === stages.window });
  }

  #assemble(): Assembly {
    const whole = this.#chain.whole();
    const { events } = this.#standing.log;
    const counts = countsOf(this.#standing, whole);
    const view = this.#view;
    const chain = this.#chain;
    let contents: Assembly['contents'] | undefined;
    let sources: Assembly['sources'] | undefined;
    let explained: Assembly | undefined;
    return Object.freeze({
      get contents() {
        contents ??= chain.read(whole, (row) => row.contents());
        return contents;
      },
      get sources() {
        sources ??= chain.read(whole, (row) => row.sources());
        return sources;
      },
      provider: view.provider,
      question: questionOf(whole),
      placement(seq: number) {
        explained ??= assemble(events.slice(0, counts.events), view);
        return explained.placement(seq);
      },
      counts,
    });
  }
}

/** What the stages behind the window ask about the events that stand. */
function factsOf(standing: StandingEvents): SpanFacts {
  const { view, rules, coverage, links } = standing;
  return {
    view,
    rules,
    coverage,
    links,
    kept: { has: (seq) => standing.isKept(seq) },
    isSetAside: (seq) => standing.isSetAside(seq),
  };
}

function countsOf({ log }: StandingEvents, whole: SpanLink | undefined): StageCounts {
  const nothing = { inWindow: 0, recovered: 0, turns: 0, narrated: 0, paired: 0 };
  return Object.freeze({
    events: log.events.length,
    live: log.countAt(stages.rewind),
    visible: log.countAt(stages.visibility),
    unmasked: log.countAt(stages.masking),
    spoken: log.countAt(stages.speech),
    ...(whole?.counts ?? nothing),
    contents: lengthOf(whole),
  });
}
