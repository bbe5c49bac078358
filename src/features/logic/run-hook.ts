/** Runs one `before` hook: its record, its tools, its time, and the values that it sets. */

import { system } from '../../access/principal.ts'
import type { BeforeHookName } from '../../definition/logic/logic-model.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import { unavailable } from '../../refusal.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { Condition } from '../../store/condition.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { CollectedRun, RunningAction } from './collected-run.ts'
import { HookClock, HookTimeout } from './hook-clock.ts'
import { createHookTools, HookRefusal, type ItemChanges } from './hook-tools.ts'
import { findFailedChecks } from './record-checks.ts'
import { applyChanges } from './set-values.ts'

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
  /** The hooks that are running, outermost first. */
  readonly path: readonly string[]
  /** A run for the code at this place. */
  nested(place: string, action?: RunningAction): HookRun
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
    await callHook(place, () => hook(record, tools))
    nested.end()
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
): Promise<Result> {
  if (timing.clock) return work(timing.clock)
  const clock = new HookClock(hookTime)
  timing.clock = clock
  try {
    return await clock.limit(() => work(clock))
  } catch (error) {
    if (error instanceof HookRefusal) throw error.refusal
    if (error instanceof HookTimeout) throw tookTooLong(run, place)
    throw error
  } finally {
    timing.clock = undefined
  }
}

function tookTooLong({ service, request }: HookRun, place: string) {
  const cause = new LogicFailure(place, `${place} took longer than ${hookTime} ms.`)
  service.observe({ kind: 'logic-failed', request: request.requestId, hook: place, cause })
  return unavailable('The code of the service took too long.', cause)
}

/**
 * The result of code. Errors of its own become failures with its place; refusals and failures of nested
 * hooks stay.
 */
export async function callHook(place: string, call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof HookRefusal || error instanceof HookTimeout || error instanceof LogicFailure)
      throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new LogicFailure(place, `${place} failed: ${message}`, { cause: error })
  }
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
