/** All documents of the service by route. */

import type { Model } from '../definition/model.ts'
import type { MovableName } from '../definition/paths.ts'
import { apiCatalog } from '../describe/documents/api-catalog.ts'
import { clientModule, clientTypes } from '../describe/documents/client-code.ts'
import { relation, relations } from '../describe/documents/link-relations.ts'
import { openApi } from '../describe/documents/openapi-document.ts'
import { problem, problems } from '../describe/documents/problem-types.ts'
import { schema, schemaIndex } from '../describe/documents/schemas.ts'
import { asset } from '../html/asset-document.ts'
import { creationForm, editForm, importForm } from '../html/forms/form-documents.ts'
import { docs } from '../html/pages/docs-document.ts'
import { selection } from '../html/selection/perform-selection.ts'
import { itemPreview, listPreview } from '../html/view-as/preview-document.ts'
import { live, metrics, ready, status } from '../operation/operator-documents.ts'
import { batch } from '../requests/batch/batch-document.ts'
import type { Document, DocumentTable } from '../requests/context/target.ts'
import { home } from '../requests/documents/home.ts'
import { securityTxt } from '../requests/documents/security-txt.ts'
import { events } from '../requests/events/feed-page.ts'
import { accessExplanation } from '../requests/explanations/explanation-document.ts'
import type { RequestsPart } from '../requests/feature-code.ts'

/** The documents that every service has, at the paths without what a definition moves. */
const ownDocuments: readonly Document[] = [
  home,
  openApi,
  schemaIndex,
  schema,
  clientModule,
  clientTypes,
  apiCatalog,
  problems,
  problem,
  relations,
  relation,
  live,
  ready,
  metrics,
  asset,
  docs,
  events,
  status,
  batch,
  selection,
  accessExplanation,
  itemPreview,
  listPreview,
]

/** No path has the routes of these as its key: the adapter of forms finds their targets. */
const forms = [creationForm, importForm, editForm]

type DocumentEntry = readonly [key: string, Document]

/** The documents of a service by route, with those of its features, at the paths that its definition moves them to. */
export function documentsOf(model: Model, ofFeatures: readonly RequestsPart[]): DocumentTable {
  const all: readonly DocumentEntry[] = [
    ...ownDocuments.map(entryOf),
    ...forms.map((form): DocumentEntry => [form.route, form]),
    ...ofFeatures.flatMap((part) => [
      ...(part.documents ?? []).map(entryOf),
      ...(part.documentsOf?.(model) ?? []),
    ]),
    ...(model.securityContact === undefined ? [] : [entryOf(securityTxt)]),
  ]
  return new Map(all.map(([key, document]) => [movedRoute(key, model), moved(document, model)]))
}

/** Its key is its route, in which `{}` is each variable part. */
function entryOf(document: Document): DocumentEntry {
  return [document.route.replaceAll(/\{\w+\}/g, '{}'), document]
}

function moved(document: Document, model: Model): Document {
  const route = movedRoute(document.route, model)
  return route === document.route ? document : { ...document, route }
}

function movedRoute(route: string, { paths }: Model): string {
  const [, first = '', ...rest] = route.split('/')
  return Object.hasOwn(paths, first) ? ['', paths[first as MovableName], ...rest].join('/') : route
}
