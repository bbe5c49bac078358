/** The secrets that signatures of routes are compared with. */

import type { ServicePart } from '../../requests/context/service-part.ts'

/** By the name of the variable. The service does not start where one is missing. */
export const routeSecrets: ServicePart<ReadonlyMap<string, string>> = {
  open({ model, variables }) {
    const names = model.routes.flatMap(({ verify }) => verify?.secrets.map(({ variable }) => variable) ?? [])
    return new Map(
      names.map((name) => {
        const value = variables?.get(name)
        if (value) return [name, value]
        throw new Error(`A route needs the variable ${name}.`)
      }),
    )
  },
}
