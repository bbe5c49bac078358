/** Definitions with `after` hooks, and waiting for them. */

import type { AfterHooks } from '../../../src/definition/logic/logic.ts'
import { anyone, resource, service, text } from '../../../src/index.ts'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const notes = resource({ title: text(), pin: text().optional().writeOnly() }, { access, bulk: true })
export const options = { title: 'Notes', resources: { notes } }

export interface Note {
  readonly id: string
  readonly title: string
}

// biome-ignore lint/suspicious/noExplicitAny: the tools are typed in test/definition/fixtures/logic-types.ts
export type Tools = any

export function withHooks(after: AfterHooks<Note, Tools>) {
  return service(options, { notes: { after } })
}
