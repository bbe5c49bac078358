/** Routes of a definition: paths whose code gets requests as they were sent, such as signed webhooks. */

import { prefixReport } from '../../definition/definition-fault.ts'
import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkRoutes } from './check-routes.ts'
import { routeModels } from './route-model.ts'

export const routes = {
  name: 'routes',
  definition: {
    options: ['routes'],
    declare(declared) {
      const report = prefixReport("Logic '/'", declared.faults.at())
      const routes = checkRoutes(declared.routes, declared, report)
      return {
        model: routeModels.with(routes),
        rules: routes.map(({ path, by: rule }) => ({
          operation: 'a route',
          rule,
          report: prefixReport(`Route '${path}': 'by'`, report),
        })),
        variables: routes.flatMap(({ verify }) => (typeof verify === 'object' ? verify.secrets : [])),
      }
    },
  } satisfies DefinitionPart,
  isUsed: (model: Model) => routeModels.of(model).length > 0,
  load: async () => (await import('./parts.ts')).routesParts,
}
