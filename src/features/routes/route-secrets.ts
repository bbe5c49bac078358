/** The secrets that signatures of routes are compared with. */

import type { ServicePart } from '../../requests/context/service-part.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'
import { routeModels } from './route-model.ts'
import { keyOfStandardWebhooks } from './verify-signature.ts'

/** By the name of the variable. The service does not start where one is missing. */
export const routeSecrets: ServicePart<ReadonlyMap<string, string>> = {
  open({ model, variables }) {
    return new Map(
      routeModels.of(model).flatMap(({ verify }) =>
        (verify?.secrets ?? []).map(({ variable: name }) => {
          const value = variables?.get(name)
          if (!value) throw new OperatorFault(`A route needs the variable ${name}.`)
          if (verify?.scheme === 'standardWebhooks') requireKey(name, value)
          return [name, value] as const
        }),
      ),
    )
  },
}

/** Of a text that is no base64 nothing would be left, and everyone could sign with an empty key. */
function requireKey(name: string, value: string): void {
  const text = value.replace(/^whsec_/, '')
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && keyOfStandardWebhooks(value).length >= minKeyLength) return
  throw new OperatorFault(
    `The variable ${name} must be a secret of Standard Webhooks: whsec_ and at least ${minKeyLength} octets in base64.`,
  )
}

/** Octets. The specification asks senders for 24 to 64. */
const minKeyLength = 16
