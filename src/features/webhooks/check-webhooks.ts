/** Checks the option `webhooks`: who may have webhooks, and the networks that they may reach. */

import type { BuiltInName } from '../../definition/built-in-name.ts'
import { credentialsName } from '../../definition/credentials-resource.ts'
import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import type { ResourceModel } from '../../definition/model.ts'
import {
  anyValue,
  checkOptions,
  listOfTexts,
  type Options,
  type OptionTable,
} from '../../definition/option-table.ts'
import { parseOptionalRule } from '../../definition/parse-rules.ts'
import type { Rule } from '../../definition/rule.ts'
import { nobody, role } from '../../definition/rule-functions.ts'
import { type Networks, noNetworks, parseNetworks } from '../../http/ip-network.ts'
import { jobsName } from '../logic/jobs/jobs-resource.ts'
import { deliveriesName, findUrlFault, webhooksName } from './webhooks-resource.ts'

export const webhooksOptionTable = { by: anyValue, networks: listOfTexts } satisfies OptionTable

export interface WebhooksSettings {
  readonly by: Rule
  /** Networks that webhooks may reach although they are not global. */
  readonly networks: Networks
  /** Resources whose rules need no check: those of the default are correct, or a fault of `accounts`. */
  readonly unchecked: ReadonlySet<BuiltInName | undefined>
}

/** Returns the settings; administrators may have webhooks by default. */
export function checkWebhooks({ webhooks, accounts }: Options, faults: FaultList): WebhooksSettings {
  const report = prefixReport('webhooks', faults.at())
  const options = checkOptions(webhooks, webhooksOptionTable, report)
  if (webhooks !== undefined && accounts === undefined) {
    report('Webhooks need accounts, but the service declares none.')
  }
  const networks = parseNetworks(options.networks ?? [])
  if (!networks) report('A network is not valid.', "Write it like '10.0.0.0/8' or '192.0.2.1'.")
  const given = parseOptionalRule(options.by, report)
  return {
    by: given ?? administratorsOf({ accounts }),
    networks: networks ?? noNetworks,
    unchecked: new Set<BuiltInName>([
      deliveriesName,
      jobsName,
      credentialsName,
      ...(given ? [] : ([webhooksName] as const)),
    ]),
  }
}

/** The rule for administrators: without roles there are none. */
export function administratorsOf({ accounts }: Options): Rule {
  const { roles, admin = 'admin' } = (accounts ?? {}) as Options
  return typeof roles === 'string' && typeof admin === 'string' ? role(admin) : nobody
}

/** The model of webhooks, which also validates that their URL may be used. */
export function withUrlCheck(webhooks: ResourceModel, networks: Networks): ResourceModel {
  return {
    ...webhooks,
    validate(values) {
      const faults = webhooks.validate(values)
      const { url } = values
      if (typeof url !== 'string' || faults.some(({ pointer }) => pointer === '/url')) return faults
      const detail = findUrlFault(url, networks)
      return detail === undefined ? faults : [...faults, { pointer: '/url', rule: 'url', detail }]
    },
  }
}
