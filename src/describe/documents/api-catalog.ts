/** /.well-known/api-catalog (RFC 9727): where programs find the interface of the service. */

import { formatsFor } from '../../formats/formats.ts'
import { createLinksetFormat, linksetType } from '../../formats/linkset.ts'
import type { Document } from '../../requests/context/target.ts'
import { catalogUri, docsUri, homeUri, openApiUri } from '../../views/uri.ts'

/** The profile of API catalogs (RFC 9727 §4). */
const linkset = createLinksetFormat(`${linksetType}; profile="https://www.rfc-editor.org/info/rfc9727"`)

export const apiCatalog: Document = {
  route: '/.well-known/api-catalog',
  summary: 'The API catalog: where programs find the interface of the service (RFC 9727)',
  schema: { type: 'object' },
  name: 'catalog',
  table: {
    title: 'API catalogue',
    lead: 'Where programs find the interface of this service (RFC 9727).',
    columns: [
      { name: 'meaning', label: 'Meaning', shows: 'words', names: true },
      { name: 'address', label: 'Address', shows: 'links' },
      { name: 'type', label: 'Type' },
    ],
  },
  personal: false,
  formats: [linkset, ...formatsFor('document')],
  /** One interface, at the entry point, with its descriptions (RFC 8631). */
  load({ service: { model, publicUrl }, origin }) {
    // RFC 9727 §4.1: absolute URIs, because a catalog may be read apart from its own URI.
    const absolute = (uri: string) =>
      publicUrl === undefined ? origin + uri : publicUrl + uri.slice(model.base.length)
    const [catalog, home] = [absolute(catalogUri(model)), absolute(homeUri(model))]
    const title = model.title
    const description = { href: absolute(openApiUri(model)), type: 'application/json' }
    const documentation = { href: absolute(docsUri(model)), type: 'text/html' }
    const data = {
      linkset: [
        { anchor: catalog, item: [{ href: home, title }] },
        { anchor: home, 'service-desc': [description], 'service-doc': [documentation] },
      ],
    }
    const entries = [
      { meaning: 'Interface', address: [{ href: home, title }] },
      { meaning: 'OpenAPI description, for programs', address: description.href, type: description.type },
      { meaning: 'Documentation, for people', address: documentation.href, type: documentation.type },
    ]
    const links = [
      { target: catalogUri(model), rel: 'self' },
      // RFC 9727 §3: the response to HEAD has the relation api-catalog.
      { target: catalogUri(model), rel: 'api-catalog' },
      { target: homeUri(model), rel: 'item' },
    ]
    return { data, entries, hypermedia: { links, actions: [] } }
  },
}
