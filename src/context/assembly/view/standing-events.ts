import type { Coverage, Event, View } from '../../../events/index.ts';
import { CallLedger } from '../call-ledger.ts';
import { findQuestion, type Question, questionAfter } from '../find-question.ts';
import { whyInvisible } from '../hide-invisible.ts';
import { whyNotLive } from '../hide-rewound.ts';
import { whyUnspoken } from '../hide-unspoken.ts';
import { fromTheBeginning, HistoryWindow, isInside } from '../history-window.ts';
import { shownSummaryOf } from '../mask-compacted.ts';
import { insertByPlace } from '../place-order.ts';
import { type ProviderRules, providerRules } from '../provider-rules.ts';
import { ChangeCollector } from './change-collector.ts';
import { HeldLog, type Stage, stages } from './held-log.ts';
import type { Outlook, OutlookChange } from './outlook.ts';

/** The stages up to the window, kept up to date: which events stand in the conversation, and which not any longer. */
export class StandingEvents {
  readonly log = new HeldLog();
  readonly links = new CallLedger();
  readonly view: View;
  readonly rules: ProviderRules;
  #outlook: Outlook;
  #question: Question | undefined;
  #window: HistoryWindow;
  #start = fromTheBeginning;

  constructor(view: View, outlook: Outlook) {
    this.view = view;
    this.rules = providerRules[view.provider];
    this.#outlook = outlook;
    this.#window = new HistoryWindow(view.history, this.links);
  }

  get coverage(): Coverage {
    return this.#outlook.coverage;
  }

  /** True if masking or the window took the event away. */
  isSetAside(seq: number): boolean {
    const stage = this.log.stageOf(seq);
    return stage === stages.visibility || stage === stages.speech;
  }

  /** True for what neither masking nor the window may take away. */
  isKept(seq: number): boolean {
    const { pinned } = this.coverage;
    if (pinned.has(seq) || (this.#question?.live && this.#question.seq === seq)) return true;
    if (pinned.size === 0) return false;
    const event = this.log.get(seq);
    const responses = event === undefined ? [] : this.links.responsesOf(event);
    return responses.some(({ call }) => call !== undefined && pinned.has(call.event.seq));
  }

  /** The newest question of the events held, by an outlook. */
  questionBy(outlook: Outlook): Question | undefined {
    return findQuestion(this.log.events, (event) => this.#isVisible(event, outlook));
  }

  /**
   * True if the event answers a call that is not to be found; one that it does not name, which may be any; or one behind
   * which something is not held, where its id may have been used again.
   */
  answersUnknown(event: Event): boolean {
    const responses = (event.content?.parts ?? []).flatMap((part) => part.functionResponse ?? []);
    if (responses.length === 0 || !this.#isVisible(event)) return false;
    if (responses.some(({ id }) => id === undefined)) return true;
    this.links.add(event);
    const last = event.seq - 1;
    const isUnknown = this.links
      .responsesOf(event)
      .some(({ call }) => call === undefined || this.log.lacks([[call.event.seq + 1, last]], last));
    this.links.takeBack(event.seq);
    return isUnknown;
  }

  /** Takes in the first events, of which the outlook speaks already. */
  begin(events: readonly Event[]): ChangeCollector {
    for (const event of events) {
      this.log.add(event);
      if (this.#isVisible(event)) this.links.add(event);
    }
    this.#question = this.questionBy(this.#outlook);
    return this.#restage(events.keys());
  }

  /** Takes in an event that changes nothing in the outlook. */
  admit(event: Event): ChangeCollector {
    const index = this.log.add(event);
    const asked = this.#question;
    if (this.#isVisible(event)) {
      this.links.add(event);
      this.#question = questionAfter(asked, event);
    }
    const wasAsked = asked !== undefined && asked !== this.#question;
    return this.#restage(wasAsked ? [index, this.log.indexFrom(asked.seq)] : [index]);
  }

  /** Takes in an event that changes the outlook. */
  turn(event: Event, outlook: Outlook, change: OutlookChange): ChangeCollector {
    const last = this.log.add(event);
    this.#outlook = outlook;
    const visibleFrom = Math.min(
      event.seq,
      change.rewoundFrom,
      ...change.ended.map((branch) => this.log.firstOn(branch)),
    );
    const first = this.log.indexFrom(visibleFrom);
    this.#relink(visibleFrom, first);
    const asked = this.#question;
    this.#question = this.questionBy(outlook);
    const indexes = new Set(this.log.indexesIn(change.turned));
    const questions = [asked, this.#question].flatMap((question) => question?.seq ?? []);
    const answers = change.pinned.flatMap((seq) => this.links.answersTo(seq));
    for (const seq of [...questions, ...change.summaries, ...change.pinned, ...answers])
      if (this.log.holds(seq)) indexes.add(this.log.indexFrom(seq));
    for (let index = first; index <= last; index++) indexes.add(index);
    const changes = this.#restage(indexes);
    for (const seq of [...change.trimmed, ...change.pinned]) changes.reach(seq * 2 + 1, seq * 2 + 1);
    if (visibleFrom < event.seq) changes.reach(visibleFrom * 2, Number.POSITIVE_INFINITY);
    return changes;
  }

  #relink(fromSeq: number, first: number): void {
    this.links.takeBack(fromSeq);
    for (let index = first; index < this.log.events.length; index++) {
      const event = this.log.events[index];
      if (event !== undefined && this.#isVisible(event)) this.links.add(event);
    }
  }

  #isVisible(event: Event, outlook = this.#outlook): boolean {
    return this.#stageSeen(event, outlook) === stages.visibility;
  }

  #stageSeen(event: Event, { coverage, ended } = this.#outlook): Stage {
    if (whyNotLive(event, coverage) !== undefined) return stages.none;
    const why = whyInvisible(event, this.view, (branch) => ended.has(branch));
    return why === undefined ? stages.visibility : stages.rewind;
  }

  #stageSpoken(event: Event): Stage {
    const seen = this.#stageSeen(event);
    if (seen !== stages.visibility) return seen;
    const { coverage, shown } = this.#outlook;
    if (event.actions.compaction !== undefined) return shown.has(event.seq) ? stages.speech : stages.visibility;
    const isCovered = shownSummaryOf(event.seq, coverage, shown) !== undefined;
    if (isCovered && !this.isKept(event.seq)) return stages.visibility;
    return whyUnspoken(event, this) === undefined ? stages.speech : stages.masking;
  }

  /** Finds anew how far some events get, and what that changes. */
  #restage(indexes: Iterable<number>): ChangeCollector {
    const before = new Map<number, Stage>();
    const spoken: number[] = [];
    for (const index of indexes) {
      const event = this.log.events[index];
      if (event === undefined) continue;
      const [old, now] = [this.log.stageAt(index), this.#stageSpoken(event)];
      before.set(index, old);
      if (old >= stages.speech !== now >= stages.speech) spoken.push(index);
      this.log.setStage(index, now);
    }
    for (const index of this.#moveWindow(spoken)) if (!before.has(index)) before.set(index, this.log.stageAt(index));
    const changes = new ChangeCollector();
    for (const [index, old] of before) {
      const event = this.log.events[index];
      if (event === undefined) continue;
      if (this.log.stageAt(index) >= stages.speech)
        this.log.setStage(
          index,
          isInside(event, this.#start) || this.isKept(event.seq) ? stages.window : stages.speech,
        );
      changes.note(event, old, this.log.stageAt(index));
    }
    return changes;
  }

  /** Tells the window which events are spoken now, or not any longer; gives those that it may let in or out. */
  #moveWindow(changed: readonly number[]): Iterable<number> {
    if (this.view.history === 'full' || changed.length === 0) return [];
    const { events } = this.log;
    const only = changed.length === 1 && changed[0] === events.length - 1 ? events.at(-1) : undefined;
    const next = only?.actions.compaction === undefined ? only : undefined;
    if (next === undefined) this.#window = this.#windowAnew();
    else this.#window.add(next);
    const [old, start] = [this.#start, this.#window.start()];
    if (old.place === start.place && old.invocation === start.invocation) return [];
    this.#start = start;
    if (next === undefined) return events.keys();
    const [low, high] = [Math.min(old.place, start.place), Math.max(old.place, start.place)];
    const to = old.invocation === start.invocation ? Math.ceil(high / 2) : next.seq;
    const summaries = [...this.#outlook.shown].filter((seq) => this.log.holds(seq));
    return [
      ...this.log.indexesIn([[Math.floor(low / 2), Math.min(to, next.seq)]]),
      ...summaries.map((seq) => this.log.indexFrom(seq)),
    ];
  }

  #windowAnew(): HistoryWindow {
    const isSpoken = (_: Event, index: number) => this.log.stageAt(index) >= stages.speech;
    const spoken = this.log.events.filter(isSpoken);
    const isSummary = ({ actions }: Event) => actions.compaction !== undefined;
    const raw = spoken.filter((event) => !isSummary(event));
    const window = new HistoryWindow(this.view.history, this.links);
    for (const event of insertByPlace(raw, spoken.filter(isSummary))) window.add(event);
    return window;
  }
}
