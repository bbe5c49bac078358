/** The lines that `restwell serve` prints when it listens. */

import { anonymous } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { Model } from '../definition/model.ts'
import type { Config } from '../operation/configuration/config.ts'
import { withoutCredentials } from '../operation/log-entry.ts'
import type { FirstAccount } from '../service/first-start.ts'
import { collectionUri } from '../views/uri.ts'

export interface WelcomeFacts {
  readonly config: Config
  readonly model: Model
  readonly url: string
  readonly first: FirstAccount | undefined
}

export function formatWelcome({ config, model, url, first }: WelcomeFacts): string {
  const resources = [...model.resources.values()]
  const readable = resources.filter((resource) => rightsOf(resource, anonymous).read.kind !== 'never')
  const open = readable.find((resource) => resource !== model.accounts?.resource) ?? readable[0]
  const lines = [
    `Database   ${withoutCredentials(config.database)}`,
    ...(config.site ? [`Site       ${config.site.origin}, at paths outside of ${model.base}`] : []),
    `Resources  ${resources.map((resource) => collectionUri(model, resource)).join('  ')}`,
    ...formatFirstAccount(first),
    ...(open ? [`Try        curl -i ${url}${collectionUri(model, open)}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** A generated password is printed once; only its hash is stored. */
export function formatFirstAccount(first: FirstAccount | undefined): string[] {
  if (!first) return []
  if (first.generatedPassword === undefined)
    return [`Admin      ${first.login}, with the password from RESTWELL_ADMIN`]
  return [`Admin      ${first.login}, password ${first.generatedPassword} (shown only now)`]
}
