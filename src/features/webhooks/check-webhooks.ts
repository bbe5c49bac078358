/** Checks the option `webhooks`: who may have webhooks, and the networks that they may reach. */

import { administratorsOf } from '../../definition/administrators.ts'
import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import {
  anyValue,
  checkOptions,
  listOfTexts,
  type Options,
  type OptionTable,
} from '../../definition/option-table.ts'
import { parseOptionalRule } from '../../definition/parse-rules.ts'
import { noNetworks, parseNetworks } from '../../http/ip-network.ts'
import type { WebhooksSettings } from './webhooks-resource.ts'

export const webhooksOptionTable = { by: anyValue, networks: listOfTexts } satisfies OptionTable

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
    by: given ?? administratorsOf(accounts),
    isOwnRule: given !== undefined,
    networks: networks ?? noNetworks,
    isDeclared: webhooks !== undefined,
  }
}
