/** The tool `mail` of code: the feature of mail has the writes. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { CollectedRun } from './collected-run.ts'
import { asProblem } from './logic-collection.ts'

/** The arguments of a call, unchecked. */
export type GivenMail = readonly [template: unknown, mail: unknown]

export interface SendingTool {
  send(...mail: GivenMail): Promise<void>
}

/** The tool, whose promise rejects with a LogicProblem where a mail is refused. */
export function createMailTool(send: (...mail: GivenMail) => Promise<void>): SendingTool {
  return {
    send(...mail: GivenMail) {
      const result = asProblem('mail.send', () => send(...mail))
      // A call that is not awaited must not end the process.
      result.catch(() => undefined)
      return result
    },
  }
}

/** Adds the writes of the mail to the run. Throws a LogicFailure for a service without mail. */
export async function queueMail(run: CollectedRun, place: string, mail: GivenMail): Promise<void> {
  const { codeTool } = run.service
  if (!codeTool) {
    const remedy = "Add mail: { from: 'service@example.org', templates: { … } } to the service."
    throw new LogicFailure(place, `${place} sends a mail, but the service declares none. ${remedy}`)
  }
  const reads = { store: run.store, preview: run.preview }
  for (const write of await codeTool.writesOf(reads, ...mail)) run.add(write)
}
