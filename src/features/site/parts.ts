/** The code of sites, for definitions that have one. */

import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { loadSite, siteDocument } from './site-document.ts'
import { siteModel } from './site-model.ts'

export const siteParts = {
  requests: { documents: [siteDocument] } satisfies RequestsPart,
  /** Finds the files before the first request, so that a folder that is missing is known. */
  async startTasks({ model }: ServiceContext, options: { readonly site?: 'elsewhere' }) {
    const site = siteModel.of(model)
    if (site && options.site === undefined) await loadSite(site)
    return []
  },
}
