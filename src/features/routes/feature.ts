/** Routes of a definition: paths whose code gets requests as they were sent, such as signed webhooks. */

import { prefixReport } from '../../definition/definition-fault.ts'
import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkRoutes, findRoutes } from './check-routes.ts'

export const routes = {
  name: 'routes',
  definition: {
    options: ['routes'],
    declare(declared) {
      const report = prefixReport("Logic '/'", declared.faults.at())
      return { models: { routes: checkRoutes(findRoutes(declared.serviceLogic, report), declared, report) } }
    },
  } satisfies DefinitionPart,
  isUsed: ({ routes: declared }: Model) => declared.length > 0,
  load: async () => (await import('./parts.ts')).routesParts,
}
