/** Which hooks a definition declares. */

import type { LogicModel } from './logic-model.ts'
import type { Model } from './model.ts'

/** Whether a resource has code that runs after a commit. */
export function hasAfterHooks({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ logic }) => logic !== undefined && runsAfterCommit(logic))
}

/** Whether a resource has code that runs at certain times. */
export function hasSchedules({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ logic }) => logic !== undefined && runsAtTimes(logic))
}

/** Whether the code needs the tables of queued work. */
export function queuesWork(logic: LogicModel): boolean {
  return runsAfterCommit(logic) || runsAtTimes(logic)
}

function runsAfterCommit({ after }: LogicModel): boolean {
  return Object.keys(after).length > 0
}

function runsAtTimes({ schedules }: LogicModel): boolean {
  return Object.keys(schedules).length > 0
}
