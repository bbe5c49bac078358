/**
 * The requests of the non-interference test: every kind of request that a client can send, as one
 * table. Each file of this folder has the rows of one subject; add a row for every new kind of request.
 *
 * A caller can always learn three things (docs/reference/http/access.md, "Access"): that a unique value is
 * taken, that an item cannot be deleted, that a URI chosen by the client is taken. The table avoids
 * them: new logins are new, and other requests of these kinds are refused for another reason.
 */

import fc from 'fast-check'
import { accounts } from './accounts.ts'
import { changes } from './changes.ts'
import { files } from './files.ts'
import { forms } from './forms.ts'
import { hiddenFields } from './hidden-fields.ts'
import { queries } from './queries.ts'
import { reads } from './reads.ts'
import type { Kind, Step, World } from './step.ts'
import { webhooks } from './webhooks.ts'
import { writes } from './writes.ts'

export const repertoire: Readonly<Record<string, Kind>> = {
  ...reads,
  ...queries,
  ...changes,
  ...accounts,
  ...writes,
  ...hiddenFields,
  ...files,
  ...forms,
  ...webhooks,
}

/** Any request of the repertoire, each row as likely as the other. */
export function anyStep(world: World): fc.Arbitrary<Step> {
  return fc.oneof(...Object.values(repertoire).map((kind) => kind(world)))
}
