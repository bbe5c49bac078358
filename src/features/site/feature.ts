/** A site: the files of a built front end, served at the paths outside of the base of the service. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { createSiteModel } from './check-site.ts'
import { siteModel } from './site-model.ts'

export const site = {
  name: 'site',
  definition: {
    options: ['site'],
    declare: ({ options, base, faults }) => ({
      model: siteModel.with(createSiteModel(options.site, base, faults)),
    }),
  } satisfies DefinitionPart,
  isUsed: (model: Model) => siteModel.of(model) !== undefined,
  load: async () => (await import('./parts.ts')).siteParts,
}
