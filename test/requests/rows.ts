/** A collection with as many rows as a test wants. */

import assert from 'node:assert/strict'
import { anyone, resource, service, text } from 'restwell'
import type { TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const rows = service({
  title: 'Rows',
  resources: { rows: resource({ name: text(), body: text().optional() }, { access: open }) },
})

/** Rows whose identities ascend; written in large batches, past the interface. */
export async function insertRows(
  { service: { store } }: TestService,
  count: number,
  body: string | (() => string),
) {
  const time = new Date().toISOString()
  for (let from = 0; from < count; from += 5000) {
    const writes = Array.from({ length: Math.min(5000, count - from) }, (_, index) => {
      const place = from + index
      const identity = `00000000-0000-7000-8000-${String(place).padStart(12, '0')}`
      const values = [identity, 1, time, time, `row ${place}`, typeof body === 'string' ? body : body()]
      return { kind: 'insert', table: 'rows', values, conditionAfter: { kind: 'always' } } as const
    })
    assert.equal((await store.write(writes)).kind, 'done')
  }
}
