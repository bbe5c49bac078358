/**
 * States: a choice that begins at one value and changes only along declared transitions. A client
 * takes a transition by writing its target state.
 */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { declareField, type StateField, stateModifiers } from '../field.ts'
import { didYouMean, findNearestName } from '../name-suggestion.ts'
import type { Now } from '../now.ts'
import {
  anyValue,
  booleanOption,
  checkOptions,
  formatValue,
  isComplete,
  listOfTexts,
  type OptionTable,
  objectOption,
  required,
} from '../option-table.ts'
import { parseOptionalRule } from '../parse-rules.ts'
import type { Rules } from '../rule-functions.ts'
import type { StateModel } from '../state-model.ts'
import { checkTones, type Tone, tonesOf, tonesOption } from '../tone.ts'
import type { JsonValue } from '../value-types.ts'
import { choiceNames, choiceTraits, formatChoices, reportDuplicates } from './choice.ts'
import type { Kind } from './kind.ts'

export type StateOptions<S extends string = string> = {
  readonly initial: S
  readonly transitions: Readonly<Record<string, TransitionOptions<S>>>
  /** All states, where listing them helps to find mistakes; else those that are mentioned. */
  readonly states?: readonly S[]
  /** The look of states on HTML pages. */
  readonly tones?: Readonly<Partial<Record<NoInfer<S>, Tone>>>
}

export interface TransitionOptions<S extends string = string> {
  readonly from: S | readonly S[]
  readonly to: S
  /** The rule for taking it; without it, every caller who may update the item. */
  readonly by?: Rules
  /** Optional fields that must be there once it is taken, such as the body of what is published. */
  readonly requires?: readonly string[]
  /** The values that it writes besides the state: `now`, a value, or null to empty an optional field. */
  readonly sets?: Readonly<Record<string, Now | JsonValue>>
  /** A later PATCH to the state is 409, so that of several callers only the first one succeeds. */
  readonly exclusive?: boolean
}

/**
 * A field that begins with one state and changes only along the declared transitions. A client takes
 * a transition by writing the state that it leads to.
 * @example
 * const status = state({
 *   initial: 'draft',
 *   transitions: {
 *     publish: { from: 'draft', to: 'published', by: role('editor') },
 *     retract: { from: 'published', to: 'draft' },
 *   },
 * })
 */
export function state<const S extends string>(options: StateOptions<S>): StateField<S> {
  return declareField({ kind: stateKind, options }, stateModifiers)
}

const name = {
  expected: 'the name of a state',
  accepts: (value: unknown): value is string => choiceNames.accepts([value]),
}
const transitionOptions = {
  from: required({
    expected: 'the name of a state, or a list of them',
    accepts: (value): value is string | readonly string[] =>
      choiceNames.accepts([value].flat()) && [value].flat().length > 0,
  }),
  to: required(name),
  by: anyValue,
  requires: listOfTexts,
  sets: objectOption,
  exclusive: booleanOption,
} satisfies OptionTable

export const stateKind: Kind<StateOptions> = {
  ...choiceTraits,
  name: 'state',
  choices: 'transitions',
  mayBeItem: false,
  isEditedInCells: false,
  options: {
    initial: required(name),
    transitions: required(objectOption),
    states: choiceNames,
    tones: tonesOption,
  },
  check(options, report) {
    const sound = Object.entries(options.transitions).map(([name, transition]) =>
      checkTransition(name, transition, report),
    )
    if (sound.includes(false)) return
    checkNames(options, report)
    checkTones(options.tones, statesOf(options), report)
    checkReachable(options, report)
    checkAmbiguity(options, report)
  },
  schema: (options) => ({ type: 'string', enum: statesOf(options) }),
  parts: (options, report) => ({
    state: createStateModel(options, report),
    tones: tonesOf(options.tones),
  }),
  requirement: (options) => `Must be ${formatChoices(statesOf(options))}.`,
}

/** All states: as listed, else in the order of their first mention. */
function statesOf({ initial, transitions, states }: StateOptions): readonly string[] {
  const mentioned = Object.values(transitions).flatMap(({ from, to }) => [...[from].flat(), to])
  return [...new Set<string>(states ?? [initial, ...mentioned])]
}

function createStateModel(options: StateOptions, report: FaultReport): StateModel {
  return {
    initial: options.initial,
    states: statesOf(options),
    transitions: Object.entries(options.transitions).map(([name, transition]) => ({
      name,
      from: [transition.from].flat(),
      to: transition.to,
      by: parseOptionalRule(transition.by, report),
      requires: [...(transition.requires ?? [])],
      sets: new Map(Object.entries(transition.sets ?? {})),
      exclusive: transition.exclusive ?? false,
    })),
  }
}

/** Names of other actions in representations. */
const reservedTransitions = ['default', 'delete']

function checkTransition(name: string, transition: unknown, report: FaultReport): boolean {
  if (!/^[a-z][A-Za-z0-9-]{0,62}$/.test(name)) {
    report(
      `The transition name '${name}' must be letters, digits and hyphens, beginning with a lower-case letter.`,
    )
  }
  if (reservedTransitions.includes(name))
    report(`The transition name '${name}' is reserved.`, 'Choose another name.')
  if (!objectOption.accepts(transition)) {
    report(`The transition '${name}' must be an object, not ${formatValue(transition)}.`)
    return false
  }
  const inside = prefixReport(`Transition '${name}'`, report)
  return isComplete(checkOptions(transition, transitionOptions, inside), transitionOptions)
}

function checkNames({ initial, transitions, states }: StateOptions, report: FaultReport): void {
  if (states === undefined) return
  reportDuplicates(states, report)
  const unknown = (what: string, name: string) => {
    if (!states.includes(name)) report(`${what} '${name}' is not a state.`, didYouMean(name, states))
  }
  unknown("The 'initial' state", initial)
  for (const [name, { from, to }] of Object.entries(transitions)) {
    for (const one of [from].flat()) unknown(`Transition '${name}': 'from'`, one)
    unknown(`Transition '${name}': 'to'`, to)
  }
}

function checkReachable(options: StateOptions, report: FaultReport): void {
  const reached = new Set([options.initial])
  for (const state of reached) {
    for (const { from, to } of Object.values(options.transitions)) {
      if ([from].flat().includes(state)) reached.add(to)
    }
  }
  const { initial } = options
  if (reached.size === 1 && isMentionedOnce(options)) {
    const others = statesOf(options).filter((state) => state !== initial)
    report(`No transition leads from the initial state '${initial}'.`, didYouMean(initial, others))
    return
  }
  for (const state of statesOf(options)) {
    if (reached.has(state)) continue
    const similar = findNearestName(state, reached)
    // Either of the two may be misspelt.
    report(
      `The state '${state}' cannot be reached from '${initial}'.`,
      similar && `Did you mean the same state by '${state}' and '${similar}'?`,
    )
  }
}

/** Whether there are transitions and none names the initial state. */
function isMentionedOnce({ initial, transitions }: StateOptions): boolean {
  const all = Object.values(transitions)
  return all.length > 0 && all.every(({ from, to }) => ![from, to].flat().includes(initial))
}

/** A client names only the target state, so at most one transition may lead there from a state. */
function checkAmbiguity({ transitions }: StateOptions, report: FaultReport): void {
  const taken = new Map<string, string>()
  for (const [name, { from, to }] of Object.entries(transitions)) {
    for (const one of [from].flat()) {
      if (one === to) report(`Transition '${name}' leads from '${to}' to itself.`, "Change 'from' or 'to'.")
      const step = JSON.stringify([one, to])
      const other = taken.get(step)
      if (other !== undefined && other !== name) {
        report(
          `Transitions '${other}' and '${name}' both lead from '${one}' to '${to}'.`,
          'Remove one of them.',
        )
      }
      taken.set(step, name)
    }
  }
}
