/** The tool `mail` of code that runs after a commit, at a time or in the background: each mail is a transaction of its own. */

import { randomUUIDv7 } from 'node:crypto'
import { system } from '../../../access/principal.ts'
import { retryLostRaces } from '../../../requests/write/lost-race.ts'
import type { Attribution } from '../../../store/change-log.ts'
import type { HookCalls } from '../hook-calls.ts'
import { LogicRun } from '../logic-run.ts'
import { createMailTool, mailCall, queueMail } from '../mail-tool.ts'
import { commitRun, type RunningJob, type SystemContext } from '../system-access.ts'

/** The code that makes the calls of tools. */
export interface CallingCode {
  readonly service: SystemContext
  /** The place of the code in the definition. */
  readonly place: string
  /** Of the changes that the code makes. */
  readonly attribution: Attribution
  readonly calls: HookCalls
  /** The job whose code gets the tools; undefined: none does. */
  readonly job?: RunningJob
}

export function createCommittedMailTool({ service, place, attribution, calls, job }: CallingCode): object {
  const { actor, request: requestId = randomUUIDv7() } = attribution
  return createMailTool((...mail) =>
    calls.call(() =>
      retryLostRaces(async () => {
        const run = LogicRun.begin(service, { caller: system, requestId })
        await queueMail(run, place, mail)
        await commitRun(service, run, { call: mailCall, actor, lease: job?.lease })
      }),
    ),
  )
}
