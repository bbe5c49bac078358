/** Checks that items of a resource can have a history: its name below an item must be free. */

import type { CheckContext } from '../../definition/checks/check-context.ts'
import type { ResourceModel } from '../../definition/model.ts'

/** Reports fields with the name of the history, and a resource whose items cannot be read. */
export function checkHistory(resource: ResourceModel, { declarations, faults }: CheckContext): void {
  if (!resource.history) return
  const { name, derived, itemMethods } = resource
  const names = [...(declarations.get(name)?.names ?? []), ...derived.map(({ field }) => field.name)]
  if (names.includes('history')) {
    faults.at(name, 'history')(
      "The name 'history' is taken by the option 'history' of the resource.",
      'Choose another name.',
    )
  }
  if (!itemMethods.has('GET')) {
    faults.at(name)(
      "The option 'history' needs items that can be read.",
      "Add 'GET' to 'methods', or remove 'history'.",
    )
  }
}
