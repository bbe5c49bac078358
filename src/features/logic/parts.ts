/** The code that runs the logic of a definition, which services load whose definition has some. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import type { WorkPart } from '../../work/erase-work.ts'
import { resultPageName } from './action-result.ts'
import { eraseAfterRun, eraseEndedJobs, eraseJob, eraseScheduledRun } from './erase-logic-work.ts'
import { cancelJob, prepareJobDeletion } from './jobs/job-operations.ts'
import { jobsTable } from './jobs/jobs-resource.ts'
import { loadLogicRunner, startTasks } from './load-logic.ts'
import { performAction } from './perform-action.ts'
import { performQuery } from './perform-query.ts'
import { resultPage } from './result-page.ts'

export const logicParts = {
  requests: {
    createLogic: loadLogicRunner,
    tables: [[jobsTable, { actions: { cancel: cancelJob }, prepareDeletion: prepareJobDeletion }]],
    action: performAction,
    query: performQuery,
  } satisfies RequestsPart,
  pages: { [resultPageName]: resultPage } satisfies DocumentPages,
  work: {
    erasures: { after: eraseAfterRun, schedules: eraseScheduledRun, jobs: eraseJob },
    rows: [eraseEndedJobs],
  } satisfies WorkPart,
  startTasks,
}
