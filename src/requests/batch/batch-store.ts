/** The store of a batch: it has the changes of all requests, and later requests see those of earlier ones. */

import { IDENTITY, type Model, type ResourceModel } from '../../definition/model.ts'
import { CollectingStore } from '../../store/collecting-store.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import { withCalls } from '../../store/with-calls.ts'
import type { DeleteWrite, Write, WriteOutcome } from '../../store/write.ts'
import {
  allClearedReferences,
  clearingWrite,
  findClearedRows,
  findDeletedRows,
} from '../write/deletion-cascade.ts'

export class BatchStore {
  readonly #store: Store
  readonly #model: Model
  readonly #collecting: CollectingStore
  /** For requests that write. What a dry run among them tries follows the changes before it. */
  readonly writing: Store
  /** For requests that only read: the commit repeats their reads. */
  readonly reading: Store

  constructor(store: Store, model: Model) {
    this.#store = store
    this.#model = model
    this.#collecting = new CollectingStore(store, (work) => work())
    const write: Store['write'] = (writes) => this.#writeAfterChanges(writes)
    this.writing = withCalls(this.#collecting.unrecorded, { write })
    this.reading = this.#collecting.recorded
  }

  /** All writes in order, with the reads to repeat. */
  get writes(): readonly Write[] {
    return this.#collecting.writes
  }

  /** Adds the writes of a request, which later ones see. */
  async add(writes: readonly Write[]): Promise<void> {
    for (const write of writes) {
      if (write.kind === 'insert' || write.kind === 'update') this.#collecting.add(write)
      else if (write.kind === 'delete') await this.#addDeletion(write)
      else this.#collecting.addCheck(write)
    }
  }

  async #writeAfterChanges(writes: readonly Write[]): Promise<WriteOutcome> {
    const collected = this.writes
    const outcome = await this.#store.write([...collected, ...writes])
    if (outcome.kind === 'done') return outcome
    return { ...outcome, index: Math.max(0, outcome.index - collected.length) }
  }

  /** Later requests see neither the row nor what the store deletes and clears with it. */
  async #addDeletion(write: DeleteWrite): Promise<void> {
    const resource = this.#model.resources.get(write.table) as ResourceModel
    const { unrecorded } = this.#collecting
    const row = await findRow(unrecorded, resource, write.identity)
    if (row) {
      const deleted = await findDeletedRows(unrecorded, resource, row)
      for (const change of await findClearedRows(unrecorded, allClearedReferences(resource), deleted)) {
        const { identity, values } = clearingWrite(change, deleted, write.at)
        this.#collecting.shadow(change.resource.name, identity, values)
      }
      for (const [{ name }, rows] of deleted) {
        for (const one of rows.values()) this.#collecting.shadow(name, one[IDENTITY] as string, undefined)
      }
    }
    this.#collecting.add(write)
  }
}
