/** Runs one `before` hook: its record, its tools, its time, and the values that it sets. */

import { system } from '../../access/principal.ts'
import type { BeforeHookName } from '../../definition/logic/logic-model.ts'
import {
  FIRST_FIELD_INDEX,
  type FieldModel,
  type JsonValue,
  type ResourceModel,
  type Stored,
} from '../../definition/model.ts'
import { type ContentFault, Refusal, unavailable } from '../../refusal.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { Condition } from '../../store/condition.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { CollectedRun, LogicContext, RunningCode } from './collected-run.ts'
import { HookClock, HookTimeout } from './hook-clock.ts'
import { findFailedChecks } from './record-checks.ts'
import { HookRefusal } from './refuse-tool.ts'
import { createHookTools, type ItemChanges } from './tools.ts'

/** Milliseconds of a hook, without its calls of the store. */
const hookTime = 1000
/** How many hooks may be nested. */
const maxDepth = 5

export interface HookItem {
  readonly resource: ResourceModel
  readonly values: readonly Stored[]
  readonly previous: readonly Stored[] | undefined
  /** The right that the item must satisfy. */
  readonly conditionAfter: Condition
}

/** A run that hooks can be nested in. */
export interface HookRun extends CollectedRun {
  /** A run for the code at this place. */
  nested(place: string, code?: RunningCode): HookRun
  /** How many writes are collected. */
  readonly writeCount: number
  /** Ends the run of a hook. Throws a LogicFailure where a call was not awaited. */
  end(): void
}

/** The values after the hook; the same values where the resource has no such hook. */
export async function runHook(
  run: HookRun,
  timing: HookTiming,
  name: BeforeHookName,
  item: HookItem,
): Promise<readonly Stored[]> {
  const { resource, values } = item
  const hook = resource.logic?.before[name]
  if (!hook) return values
  const place = `${resource.name}.before.${name}`
  const nested = run.nested(place)
  if (nested.path.length > maxDepth) {
    throw new LogicFailure(place, `Hooks are nested more than ${maxDepth} deep: ${nested.path.join(' → ')}.`)
  }
  const changes: ItemChanges = new Map()
  const { record, previous } = await loadRecords(run, item)
  const written = run.writeCount
  await withinTime(run, timing, place, async ({ signal }) => {
    const tools = await createHookTools({ run: nested, resource, previous, changes, signal, place })
    await callHook(place, async () => {
      await hook(record, tools)
      nested.end()
    })
  })
  if (name === 'delete') {
    if (changes.size > 0) throw new LogicFailure(place, `'set' has no effect in ${place}.`)
    return values
  }
  const changed = await applyChanges({ service: run.service, resource, place }, values, changes)
  const isTouched = changes.size > 0 || run.writeCount > written
  if (isTouched) await requireStillValid(run, place, { ...item, values: changed })
  return changed
}

async function loadRecords(run: HookRun, { resource, values, previous }: HookItem) {
  const { checks, toRecords } = run.reader(resource, system, 'item')
  const row = await run.preview.previewRow(resource.name, values, checks.conditions)
  const [record, before] = await toRecords(previous ? [row, previous] : [row])
  return { record, previous: before }
}

/** The clock of the outermost hook that runs now. */
export interface HookTiming {
  clock: HookClock | undefined
}

/** The outermost hook or action has the time; nested hooks share it. */
export async function withinTime<Result>(
  run: HookRun,
  timing: HookTiming,
  place: string,
  work: (clock: HookClock) => Promise<Result>,
  milliseconds = hookTime,
): Promise<Result> {
  if (timing.clock) return work(timing.clock)
  const clock = new HookClock(milliseconds)
  timing.clock = clock
  try {
    return await clock.limit(() => work(clock))
  } catch (error) {
    if (error instanceof HookRefusal) throw error.refusal
    if (error instanceof HookTimeout) throw tookTooLong(run, place, milliseconds)
    throw error
  } finally {
    timing.clock = undefined
  }
}

function tookTooLong({ service, request }: HookRun, place: string, milliseconds: number) {
  const cause = new LogicFailure(place, `${place} took longer than ${milliseconds} ms.`)
  service.observe({ kind: 'logic-failed', request: request.requestId, hook: place, cause })
  return unavailable('The code of the service took too long.', cause)
}

/**
 * The result of code. Errors of its own become failures with its place; refusals and failures of nested
 * hooks stay.
 */
export async function callHook<Result>(place: string, call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof HookRefusal || error instanceof HookTimeout || error instanceof LogicFailure)
      throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new LogicFailure(place, `${place} failed: ${message}`, { cause: error })
  }
}

interface SetContext {
  readonly service: LogicContext
  readonly resource: ResourceModel
  readonly place: string
}

/** The values with the changes. Throws a LogicFailure for an invalid value and for a required field without one. */
async function applyChanges(
  context: SetContext,
  values: readonly Stored[],
  changes: ItemChanges,
): Promise<readonly Stored[]> {
  const { resource, place } = context
  const changed = changes.size === 0 ? values : await encodeChanges(context, values, changes)
  const missing = resource.fields.find(({ required, kind, index }) => {
    return required && !kind.isHashed && (changed[index] ?? null) === null
  })
  if (missing) throw new LogicFailure(place, `${place} must set '${missing.name}', which is required.`)
  return changed
}

async function encodeChanges(
  { service, resource, place }: SetContext,
  values: readonly Stored[],
  changes: ItemChanges,
): Promise<readonly Stored[]> {
  const drafted = new Map<FieldModel, JsonValue | undefined>()
  const members: Record<string, unknown> = {}
  for (const [name, value] of changes) {
    const present = value === null || value === undefined ? undefined : value
    drafted.set(resource.fieldByName.get(name) as FieldModel, present as JsonValue | undefined)
    if (present !== undefined) members[name] = present
  }
  requireNoFaults(place, resource.validate(members))
  const draft = { values: drafted, faults: [], seenSets: new Set<FieldModel>() }
  try {
    const fields = await encodeValues(service, system, resource.fields, draft, values)
    return [...values.slice(0, FIRST_FIELD_INDEX), ...fields]
  } catch (error) {
    if (error instanceof Refusal) requireNoFaults(place, error.options.errors ?? [])
    throw error
  }
}

function requireNoFaults(place: string, faults: readonly ContentFault[]): void {
  if (faults.length === 0) return
  const reasons = faults.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(' ')
  throw new LogicFailure(place, `${place} sets a value that is not valid. ${reasons}`)
}

/** 500 where the hook broke a check or the right of the caller. */
async function requireStillValid(
  run: HookRun,
  place: string,
  { resource, values, conditionAfter }: HookItem,
): Promise<void> {
  const [failed] = await findFailedChecks({ ...run.service, store: run.preview }, resource, values)
  if (failed)
    throw new LogicFailure(place, `${place} broke the check of '${failed.field}': ${failed.message}`)
  if (!isRowDependent(conditionAfter) || (await run.preview.satisfies(resource.name, values, conditionAfter)))
    return
  throw new LogicFailure(place, `${place} made the item one that the caller may not write.`)
}
