/**
 * One run of the logic of a request: its action, and the hooks of the items that are written. Reads and
 * writes are collected in order; the commit repeats the reads. A request that loses a race gets a new run. See
 * decision 0053.
 */

import { callerRefusal } from '../../access/access-refusal.ts'
import { type Principal, system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { BeforeHookName } from '../../definition/logic/logic-model.ts'
import { IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { refuse } from '../../refusal.ts'
import {
  allClearedReferences,
  type CascadedRows,
  type ClearedRow,
  clearingWrite,
  findClearedRows,
  findDeletedRows,
} from '../../requests/write/deletion-cascade.ts'
import {
  type ActionCall,
  type ActionOutcome,
  LogicFailure,
  type LogicRequest,
  type MadeItem,
  type NewRow,
  type RemovedRow,
  type ReplacedRow,
} from '../../requests/write/logic-runner.ts'
import { LostRace } from '../../requests/write/lost-race.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { type CollectedWrite, CollectingStore } from '../../store/collecting-store.ts'
import { always, type Condition } from '../../store/condition.ts'
import { tryWrites } from '../../store/dry-run.ts'
import { versionOf } from '../../store/row.ts'
import { updateRow } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import type { Write } from '../../store/write.ts'
import { idOf } from '../../views/uri.ts'
import type { CollectedRun, LogicContext, RunningCode } from './collected-run.ts'
import { HookCalls } from './hook-calls.ts'
import type { HookClock } from './hook-clock.ts'
import { createRecordReader } from './logic-records.ts'
import { requireValidAfterClearing } from './planned-deletion.ts'
import { findFailedChecks } from './record-checks.ts'
import { HookRefusal } from './refuse-tool.ts'
import { checkFaults } from './require-checks.ts'
import { runAction } from './run-action.ts'
import { type HookItem, runHook } from './run-hook.ts'

export interface RunState {
  readonly service: LogicContext
  readonly request: LogicRequest
  readonly collecting: CollectingStore
  readonly made: WeakMap<object, MadeItem>
  /** The clock of the outermost hook that runs now. */
  clock: HookClock | undefined
  readonly isChecked: boolean | undefined
}

export interface RunOrigin {
  /** The code that makes the calls, where each of them is a run of its own. */
  readonly code?: RunningCode | undefined
  /** Whether the checks of the items outside of hooks have run already. */
  readonly isChecked?: boolean
  /** Filled with the items that code creates. */
  readonly made?: WeakMap<object, MadeItem> | undefined
}

export class LogicRun implements CollectedRun {
  /** The service as code reads it: its store records each read. */
  readonly service: LogicContext
  readonly now: string
  readonly #state: RunState
  /** The hooks that are running, outermost first. */
  readonly #path: readonly string[]
  readonly #calls: HookCalls
  readonly code: RunningCode | undefined

  private constructor(state: RunState, path: readonly string[], code?: RunningCode) {
    this.#state = state
    this.#path = path
    this.#calls = new HookCalls(path.at(-1) ?? 'The request')
    this.code = code
    this.service = { ...state.service, store: state.collecting.recorded }
    this.now = currentTimestamp(state.service)
  }

  static begin(
    service: LogicContext,
    request: LogicRequest,
    { code, isChecked, made = new WeakMap() }: RunOrigin = {},
  ): LogicRun {
    const collecting = new CollectingStore(service.store, (work) => state.clock?.exclude(work) ?? work())
    const state: RunState = { service, request, collecting, made, clock: undefined, isChecked }
    return new LogicRun(state, [], code)
  }

  get writes(): readonly Write[] {
    return this.#state.collecting.writes
  }

  /** The store with the collected writes, for the response. */
  get preview(): Store {
    return this.#state.collecting.unrecorded
  }

  get store(): Store {
    return this.service.store
  }

  get request(): LogicRequest {
    return this.#state.request
  }

  get made(): WeakMap<object, MadeItem> {
    return this.#state.made
  }

  act(call: ActionCall): Promise<ActionOutcome> {
    // The reads of a query are of one moment already.
    if (call.action.isSafe) return runAction(this, { clock: undefined }, call)
    return this.#consistently(() => runAction(this, this.#state, call))
  }

  /** Runs `before.create` and adds the insert; returns its values. */
  insert({ resource, values, conditionAfter, loggedAt }: NewRow): Promise<readonly Stored[]> {
    return this.#consistently(async () => {
      await this.#requireChecked(resource, values)
      await this.#requirePermitted(resource, values, conditionAfter)
      const stored = await this.#runHook('create', { resource, values, previous: undefined, conditionAfter })
      this.add({ kind: 'insert', table: resource.name, values: stored, conditionAfter, loggedAt })
      return stored
    })
  }

  /** Runs `before.update` and adds the replacement; returns its values. */
  replace({ resource, row, values, action, right }: ReplacedRow): Promise<readonly Stored[]> {
    return this.#consistently(async () => {
      await this.#requireChecked(resource, values)
      await this.#requirePermitted(resource, values, right)
      const item = { resource, values, previous: row, conditionAfter: right }
      const stored = await this.#untouched(item, () => this.#runHook('update', item))
      const write = updateRow(resource, row, stored, { right, action })
      this.add(write)
      return write.values
    })
  }

  /**
   * Runs `before.delete` of the item and of all items that its deletion deletes, and `before.update` of
   * those whose references it clears; then adds the removal. The reads that find them are repeated at the
   * commit.
   */
  remove({ resource, row, conditionBefore }: RemovedRow): Promise<void> {
    return this.#consistently(async () => {
      const item = { resource, values: row, previous: row, conditionAfter: conditionBefore }
      await this.#untouched(item, () => this.#runHook('delete', item))
      const deleted = await findDeletedRows(this.store, resource, row)
      for (const [from, rows] of deleted) {
        for (const one of rows.values()) {
          const other = { resource: from, values: one, previous: one, conditionAfter: always }
          if (one !== row) await this.#untouched(other, () => this.#runHook('delete', other))
        }
      }
      const cleared = await findClearedRows(this.store, allClearedReferences(resource), deleted)
      for (const change of cleared) await this.#clear(change, deleted)
      const expected = { identity: row[IDENTITY] as string, version: versionOf(row) }
      this.add({ kind: 'delete', table: resource.name, conditionBefore, at: this.now, ...expected })
      for (const [{ name }, rows] of deleted) {
        for (const identity of rows.keys()) this.#state.collecting.shadow(name, identity, undefined)
      }
    })
  }

  /** The store clears references of resources without logic by itself. */
  async #clear(change: ClearedRow, deleted: CascadedRows): Promise<void> {
    const write = clearingWrite(change, deleted, this.now)
    const { resource, row } = change
    if (!resource.logic) {
      this.#state.collecting.shadow(resource.name, write.identity, write.values)
      return
    }
    const { request } = this.#state
    await requireValidAfterClearing(this.#previewService, request.caller, resource, write)
    const { values, conditionAfter } = write
    const item = { resource, values, previous: row, conditionAfter }
    const stored = await this.#untouched(item, () => this.#runHook('update', item))
    this.add(updateRow(resource, row, stored))
  }

  /** Adds a write, which later reads of this run see. */
  add(write: CollectedWrite): void {
    this.#state.collecting.add(write)
  }

  reader(
    resource: ResourceModel,
    caller: Principal,
    place: 'item' | 'list',
    more: readonly Condition[] = [],
  ) {
    const { service, collecting } = this.#state
    return createRecordReader({ service, collecting, resource, caller }, place, more)
  }

  async recordWith(resource: ResourceModel, caller: Principal, values: readonly Stored[]) {
    const { read } = rightsOf(resource, caller)
    const { checks, toRecords } = this.reader(resource, caller, 'item', [read])
    const row = await this.preview.previewRow(resource.name, values, checks.conditions)
    const [record] = checks.readResults(row)(read) ? await toRecords([row]) : []
    return record ?? Object.freeze({ id: idOf(resource, row) })
  }

  call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#calls.call(work)
  }

  join<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#calls.join(work)
  }

  /** Runs a transaction. Throws a LostRace where it failed after reads that no moment has given together. */
  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      // A refusal writes nothing.
      if (!(error instanceof HookRefusal) && (await this.#hasStaleReads())) throw new LostRace()
      throw error
    }
  }

  nested(place: string, code?: RunningCode): LogicRun {
    return new LogicRun(this.#state, [...this.#path, place], code)
  }

  /** Ends the run of a hook. Throws a LogicFailure where a call was not awaited. */
  end(): void {
    this.#calls.end()
  }

  get writeCount(): number {
    return this.#state.collecting.writeCount
  }

  get path(): readonly string[] {
    return this.#path
  }

  get #previewService(): LogicContext {
    return { ...this.#state.service, store: this.preview }
  }

  #runHook(name: BeforeHookName, item: HookItem): Promise<readonly Stored[]> {
    return runHook(this, this.#state, name, item)
  }

  /** Throws a LogicFailure where the work writes the item itself, whose version would then be wrong. */
  async #untouched<Result>(item: HookItem, work: () => Promise<Result>): Promise<Result> {
    const { name } = item.resource
    const unsaved = () => this.#state.collecting.unsaved(name, String(item.values[IDENTITY]))
    const before = unsaved()
    const result = await work()
    if (unsaved() === before) return result
    throw new LogicFailure(`${name}.before`, `A hook of '${name}' writes the item it runs for. Use 'set'.`)
  }

  async #requireChecked(resource: ResourceModel, values: readonly Stored[]): Promise<void> {
    const isOutermost = this.#path.length === 0
    if (isOutermost && this.#state.isChecked) return
    const failed = await findFailedChecks(this.#previewService, resource, values)
    if (failed.length === 0) return
    const isForCaller = isOutermost || this.code?.kind === 'program'
    const errors = checkFaults(resource, isForCaller ? this.request.caller : system, failed)
    throw refuse('invalid-content', { detail: 'A check fails.', errors })
  }

  async #requirePermitted(
    resource: ResourceModel,
    values: readonly Stored[],
    right: Condition,
  ): Promise<void> {
    if (right.kind === 'always') return
    if (right.kind === 'never' || !(await this.preview.satisfies(resource.name, values, right)))
      throw callerRefusal(this.#state.request.caller)
  }

  /** Throws a LostRace where a hook failed after reads that no moment has given together. */
  async #consistently<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const isOutermost = this.#path.length === 0
      if (isOutermost && error instanceof LogicFailure && (await this.#hasStaleReads())) throw new LostRace()
      throw error
    }
  }

  /** Repeats the reads in a transaction that is not kept. */
  async #hasStaleReads(): Promise<boolean> {
    const { writes } = this
    if (!writes.some(({ kind }) => kind === 'repeat')) return false
    const { store, model } = this.#state.service
    const outcome = await tryWrites(store, model, writes)
    return outcome.kind === 'refused' && outcome.reason.kind === 'stale'
  }
}
