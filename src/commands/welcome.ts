/** What an operator is told when the service stands. */

import { anonymous } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { Config } from '../config.ts'
import type { Model } from '../definition/model.ts'
import { withoutCredentials } from '../observability/log-entry.ts'
import type { FirstAccount } from '../service/first-start.ts'
import { collectionUri } from '../view/uri.ts'

export interface WelcomeFacts {
  readonly config: Config
  readonly model: Model
  readonly url: string
  readonly first: FirstAccount | undefined
}

export function formatWelcome({ config, model, url, first }: WelcomeFacts): string {
  const resources = [...model.resources.values()]
  const open = resources.find((resource) => rightsOf(resource, anonymous).read.kind !== 'never')
  const lines = [
    `Database   ${withoutCredentials(config.database)}`,
    `Resources  ${resources.map((resource) => collectionUri(model, resource)).join('  ')}`,
    ...formatFirstAccount(first),
    ...(open ? [`Try        curl -i ${url}${collectionUri(model, open)}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** The password is shown this once: only its hash is kept. */
function formatFirstAccount(first: FirstAccount | undefined): string[] {
  if (!first) return []
  if (first.generatedPassword === undefined)
    return [`Admin      ${first.login}, with the password you gave`]
  return [`Admin      ${first.login}, password ${first.generatedPassword} (shown only now)`]
}
