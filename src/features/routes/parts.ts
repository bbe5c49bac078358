/** The code of routes, which services load whose definition declares some. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import { createRouteDocument } from './route-document.ts'
import { routeSecrets } from './route-secrets.ts'

export const routesParts = {
  requests: {
    documentsOf: ({ routes }) => routes.map((route) => [route.path, createRouteDocument(route)] as const),
    parts: [routeSecrets],
  } satisfies RequestsPart,
}
