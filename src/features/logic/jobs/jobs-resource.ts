/** The built-in resource `jobs`: background actions in progress, and their ends. */

import { fieldsFor, hidden } from '../../../definition/built-in-fields.ts'
import type { BuiltInTable } from '../../../definition/built-in-table.ts'
import type { DeclaredTable } from '../../../definition/declared-table.ts'
import { isUnfinished, jobStatuses } from '../../../definition/job.ts'
import { boolean } from '../../../definition/kinds/boolean.ts'
import { choice } from '../../../definition/kinds/choice.ts'
import { json } from '../../../definition/kinds/json.ts'
import { number } from '../../../definition/kinds/number.ts'
import { ref } from '../../../definition/kinds/ref.ts'
import { text } from '../../../definition/kinds/text.ts'
import { timestamp } from '../../../definition/kinds/time.ts'
import { resource } from '../../../definition/resource.ts'
import type { Rule } from '../../../definition/rule.ts'
import { or, owner, where } from '../../../definition/rule-functions.ts'

export const jobsName = 'jobs'

export const jobsTable = {
  name: jobsName,
  methods: ['GET', 'DELETE'],
  unconstrained: true,
  job: true,
  // It can be cancelled until it has ended, and deleted afterwards.
  isDeletable: (read) => !isUnfinished(read('status')),
  // Those who know a job without an owner may not be able to list jobs.
  isListed: (read) => read('ownerless') !== 1,
  result: 'result',
  menu: 'list',
  actions: {
    cancel: {
      title: 'Cancel',
      summary: 'Cancel a job',
      shows: [],
      isOpen: (read) => isUnfinished(read('status')),
    },
  },
  movable: 'jobs',
  keptFor: { field: 'endedAt', seconds: 7 * 86_400 },
} as const satisfies BuiltInTable

/** Of the message that code reports. */
export const maxMessageLength = 500

export interface JobsDeclaration {
  /** The name of the resource of the accounts; undefined for a service without accounts. */
  readonly accounts: string | undefined
  /** Who may read all jobs. */
  readonly administrators: Rule
}

/**
 * Returns the declaration. A job belongs to the account that started it. One that was started without an
 * account has no owner: its URI, which cannot be guessed, is all that a caller needs, and no list shows it.
 * features/logic/jobs/queue-job.ts inserts the rows.
 */
export function declareJobs({ accounts, administrators }: JobsDeclaration): DeclaredTable {
  // Administrators see all of them in lists, accounts their own.
  const listedFor = accounts === undefined ? administrators : or(administrators, owner('creator'))
  const rule = or(listedFor, where({ ownerless: true }))
  return { table: jobsTable, resource: createJobsResource(accounts, rule), listedFor }
}

/** The declaration, for the types of clients. */
export type JobsResource = ReturnType<typeof createJobsResource>

function createJobsResource(accounts: string | undefined, rule: Rule) {
  const byCreator = accounts === undefined ? [] : [['creator', 'endedAt'] as const]
  return resource(
    {
      /** The collection and the name of the action, such as `tasks.import`. */
      action: text({ max: 200 }).readOnly(),
      status: choice(jobStatuses).readOnly(),
      progress: number({ min: 0, max: 1 }).readOnly(),
      message: text({ max: maxMessageLength }).optional().readOnly(),
      /** A path: that of the item that the action made, or of its own item. */
      result: text({ max: 2000 }).optional().readOnly(),
      /** The declared result of the action. */
      output: json().optional().readOnly(),
      problem: json().optional().readOnly(),
      startedAt: timestamp().optional().readOnly(),
      endedAt: timestamp().optional().readOnly(),
      ...fieldsFor(accounts, (name) => ({ creator: ref(name).optional().readOnly() })),
      ownerless: hidden(boolean()),
    },
    {
      access: { read: rule, update: rule, delete: rule },
      methods: jobsTable.methods,
      index: [...byCreator, 'endedAt'],
    },
  )
}
