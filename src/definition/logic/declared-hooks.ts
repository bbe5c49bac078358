/** Which hooks a definition declares. */

import type { ActionModel, Model, ResourceModel } from '../model.ts'
import type { LogicModel } from './logic-model.ts'

/** Whether a resource has code that runs after a commit. */
export function hasAfterHooks({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ logic }) => logic !== undefined && runsAfterCommit(logic))
}

/** The resources, and the service where it has operations or schedules of its own. */
export function placesOfCode({
  resources,
  service,
}: Pick<Model, 'resources' | 'service'>): readonly ResourceModel[] {
  return [...resources.values(), ...(service ? [service] : [])]
}

/** Whether a resource or the service has code that runs at certain times. */
export function hasSchedules(model: Pick<Model, 'resources' | 'service'>): boolean {
  return placesOfCode(model).some(({ logic }) => logic !== undefined && runsAtTimes(logic))
}

/** The code of a resource, and its actions. */
interface CodeOfResource {
  readonly logic: LogicModel
  readonly actions: readonly Pick<ActionModel, 'background'>[]
}

/** Whether the code needs the tables of queued work. */
export function queuesWork({ logic, actions }: CodeOfResource): boolean {
  return runsAfterCommit(logic) || runsAtTimes(logic) || runsInBackground({ actions })
}

/** Whether one of the actions runs in the background. */
export function runsInBackground({ actions }: Pick<CodeOfResource, 'actions'>): boolean {
  return actions.some(({ background }) => background)
}

function runsAfterCommit({ after }: LogicModel): boolean {
  return Object.keys(after).length > 0
}

function runsAtTimes({ schedules }: LogicModel): boolean {
  return Object.keys(schedules).length > 0
}
