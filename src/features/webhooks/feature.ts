/** Webhooks: signed requests to the receivers that accounts name, for the changes that they may see. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkWebhooks, webhookNetworks } from './check-webhooks.ts'
import { declareWebhooks, webhookConsumerName } from './webhooks-resource.ts'

export const webhooks = {
  name: 'webhooks',
  definition: {
    options: ['webhooks'],
    declare({ options, accounts, accountsOptions, administrators, declarations, paths, faults }) {
      const hasAccounts = accountsOptions !== undefined
      const settings = checkWebhooks(options.webhooks, { hasAccounts, administrators, faults })
      const model = webhookNetworks.with(settings.networks)
      if (accounts === undefined) return { model }
      const tables = declareWebhooks({
        accounts,
        collections: [...declarations.keys()],
        settings,
        path: paths.webhooks,
        hasVersions: options.versions !== undefined,
      })
      return { tables, model }
    },
  } satisfies DefinitionPart,
  figures: { deliveries: ({ accounts }: Model) => accounts && webhookConsumerName },
  isUsed: ({ accounts }: Model) => accounts !== undefined,
  load: async () => (await import('./parts.ts')).webhooksParts,
}
