/** Checks the option `webhooks`: who may have webhooks, and the networks that they may reach. */

import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import { ModelPart } from '../../definition/model-part.ts'
import { anyValue, checkOptions, listOfTexts, type OptionTable } from '../../definition/option-table.ts'
import { parseOptionalRule } from '../../definition/parse-rules.ts'
import type { Rule } from '../../definition/rule.ts'
import { type Networks, noNetworks, parseNetworks } from '../../http/ip-network.ts'

export const webhooksOptionTable = { by: anyValue, networks: listOfTexts } satisfies OptionTable

/** Networks that webhooks may reach although they are not global. */
export const webhookNetworks = new ModelPart<Networks>()

export interface WebhooksSettings {
  /** Who may have webhooks. */
  readonly by: Rule
  /** Whether the definition says so. */
  readonly isOwnRule: boolean
  /** Networks that webhooks may reach although they are not global. */
  readonly networks: Networks
  /** Whether the definition has the option: every service with accounts has webhooks. */
  readonly isDeclared: boolean
}

interface WebhooksContext {
  readonly hasAccounts: boolean
  readonly administrators: Rule
  readonly faults: FaultList
}

/** Returns the settings; administrators may have webhooks by default. */
export function checkWebhooks(
  given: unknown,
  { hasAccounts, administrators, faults }: WebhooksContext,
): WebhooksSettings {
  const report = prefixReport('webhooks', faults.at())
  const options = checkOptions(given, webhooksOptionTable, report)
  if (given !== undefined && !hasAccounts) {
    report('Webhooks need accounts, but the service declares none.')
  }
  const networks = parseNetworks(options.networks ?? [])
  if (!networks) report('A network is not valid.', "Write it like '10.0.0.0/8' or '192.0.2.1'.")
  const by = parseOptionalRule(options.by, report)
  return {
    by: by ?? administrators,
    isOwnRule: by !== undefined,
    networks: networks ?? noNetworks,
    isDeclared: given !== undefined,
  }
}
