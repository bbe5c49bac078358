/** The tool `mail` of code: the feature of mail has the writes. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { CollectedRun } from './collected-run.ts'
import { asProblem } from './logic-collection.ts'

/** The name of the call in messages. */
export const mailCall = 'mail.send'

/** Of code within a run, whose mails are among its writes. */
export function mailToolOf(run: CollectedRun, place: string): object {
  return createMailTool((...mail) => run.call(() => queueMail(run, place, mail)))
}

/** The arguments of a call, unchecked. */
export type GivenMail = readonly [template: unknown, mail: unknown]

/** The tool, whose promise rejects with a LogicProblem where a mail is refused. */
export function createMailTool(send: (...mail: GivenMail) => Promise<void>): object {
  return {
    send(...mail: GivenMail) {
      const result = asProblem(mailCall, () => send(...mail))
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
