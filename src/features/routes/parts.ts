/** The code of routes, which services load whose definition declares some. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import { createRouteDocument } from './route-document.ts'
import { routeModels } from './route-model.ts'
import { routeSecrets } from './route-secrets.ts'

export const routesParts = {
  requests: {
    documentsOf: (model) =>
      routeModels.of(model).map((route) => [route.path, createRouteDocument(route)] as const),
    parts: [routeSecrets],
  } satisfies RequestsPart,
}
