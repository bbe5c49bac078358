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
    ...(open ? [`Try        curl -i ${url}${collectionUri(model, open)}`] : firstRequest(model, url, first)),
  ]
  return `${lines.join('\n')}\n`
}

/** Of a service that shows nothing without signing in: a request with the account that this start has created. */
function firstRequest({ base, accounts }: Model, url: string, first: FirstAccount | undefined): string[] {
  if (!accounts || accounts.secondFactor.size > 0 || first?.generatedPassword === undefined) return []
  const uri = `${url}${base}/-/session`
  return [`Try        curl -i ${uri} -u '${first.login}:${first.generatedPassword}'`]
}

/** A generated password is printed once; only its hash is stored. */
export function formatFirstAccount(first: FirstAccount | undefined): string[] {
  if (!first) return []
  if (first.generatedPassword === undefined)
    return [`Admin      ${first.login}, with the password from RESTWELL_ADMIN`]
  return [`Admin      ${first.login}, password ${first.generatedPassword} (shown only now)`]
}
