/** Which hooks a definition declares. */

import type { LogicModel } from './logic-model.ts'
import type { Model } from './model.ts'

/** Whether a resource has code that runs after a commit. */
export function hasAfterHooks({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ logic }) => logic !== undefined && runsAfterCommit(logic))
}

export function runsAfterCommit({ after }: LogicModel): boolean {
  return Object.keys(after).length > 0
}
