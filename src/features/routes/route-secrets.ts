/** The secrets that signatures of routes are compared with. */

import { keyOfStandardWebhooks, minKeyLength } from '../../definition/logic/signature.ts'
import type { ServicePart } from '../../requests/context/service-part.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'
import { declaredVerifiers } from './route-model.ts'

/** By the name of the variable. The service does not start where one is missing. */
export const routeSecrets: ServicePart<ReadonlyMap<string, string>> = {
  open({ model, variables }) {
    return new Map(
      declaredVerifiers(model).flatMap(({ scheme, secrets }) =>
        secrets.map(({ variable: name }) => {
          const value = variables?.get(name)
          if (!value) throw new OperatorFault(`A route needs the variable ${name}.`)
          if (scheme === 'standardWebhooks') requireKey(name, value)
          return [name, value] as const
        }),
      ),
    )
  },
}

/** Of a text that is no base64 nothing would be left, and everyone could sign with an empty key. */
function requireKey(name: string, value: string): void {
  if (keyOfStandardWebhooks(value).length > 0) return
  throw new OperatorFault(
    `The variable ${name} must be a secret of Standard Webhooks: whsec_ and at least ${minKeyLength} octets in base64.`,
  )
}
