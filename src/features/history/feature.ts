/** The former versions of an item, below it: a list of them, and each by itself. */

import type { CheckContext } from '../../definition/checks/check-context.ts'
import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'

/** Reports fields with the name of the history, and a resource whose items cannot be read. */
function checkHistory(resource: ResourceModel, { declarations, faults }: CheckContext): void {
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

export const history = {
  name: 'history',
  definition: { options: ['history'], checkResource: checkHistory } satisfies DefinitionPart,
  isUsed: ({ resources }: Model) => resources.values().some((resource) => resource.history !== undefined),
  load: async () => (await import('./parts.ts')).historyParts,
}
