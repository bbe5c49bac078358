/** The URIs of providers, which pages and the feature of providers know. */

import type { Model } from '../../definition/model.ts'
import { formatPath } from '../../http/request-target.ts'

/** Where a sign-in with the provider begins. */
export function providerUri({ base }: Pick<Model, 'base'>, name: string): string {
  return formatPath(base, ['sign-in', name])
}
