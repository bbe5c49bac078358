/**
 * HTML as an adapter of the service: forms become requests, results of requests become pages. Refused requests have their
 * pages in `forms/refusal-page.ts`. See decision 0112.
 */

import { html } from '../formats/html.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { type RequestTrace, traced } from '../requests/context/request-trace.ts'
import { toDryRunResponse } from '../requests/decisions/dry-run.ts'
import {
  admitRequest,
  finishOutcome,
  handleAdmitted,
  isResult,
  type PipelineContext,
  performPlan,
  type RequestOutcome,
  type RequestResult,
} from '../requests/handle-request.ts'
import type { Plan } from '../requests/perform-method.ts'
import { seeOther } from '../requests/respond/early-response.ts'
import { encodeResponse, renderResponse } from '../requests/respond/finish-response.ts'

import { redirectCrossSiteNavigation } from './forms/cross-site-navigation.ts'
import { unwrapForm } from './forms/form-request.ts'
import { findNotice, shownNoticeFields } from './forms/notice.ts'
import { performForm } from './forms/perform-form.ts'
import { type DocumentPages, inLanguageOf, writePage } from './html.ts'
import { loadPageLayout } from './loading/load-page-layout.ts'
import { findPreview, toPreviewResponse } from './view-as/access-preview.ts'
import type { ViewedAs } from './view-as/view-as.ts'

/** The service with the pages of its features. */
export interface AdapterContext extends PipelineContext {
  readonly pages: DocumentPages
}

/** Returns the response to a request of a person or a program; throws a Refusal or an EarlyResponse. */
export async function adaptRequest(
  pipeline: AdapterContext,
  received: HttpRequest,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const decide = traced(trace)
  const { service, documents, pages } = pipeline
  const resources = { model: service.model, documents }
  const { request, redirects } = decide(unwrapForm, resources, received) //  301, 303, 400, 404, 405 of /forms/
  const admitted = await admitRequest(pipeline, request, trace)
  if (!('caller' in admitted)) return admitted
  decide(redirectCrossSiteNavigation, admitted) //                           200 for a page
  const preview = await decide(findPreview, admitted) //                     400
  const shown = { request, viewedAs: preview?.viewedAs, pages }
  return handleAdmitted(preview?.admitted ?? admitted, trace, (plan) => {
    const respond = async () => {
      if (!redirects) return finishPage(await performPlan(plan, trace), shown)
      if (plan.query.isDryRun) return finishPage(await performPlan(plan, trace), shown)
      return performForm(plan, trace, (result) => createPage(result, shown))
    }
    return isForPeople(plan) ? inLanguageOf(service.model, request, respond) : respond()
  })
}

function isForPeople({ context: { format, target } }: Plan): boolean {
  return format === html || (target.kind === 'document' && target.document.isTranslated === true)
}

interface ShownRequest {
  readonly request: HttpRequest
  readonly viewedAs: ViewedAs | undefined
  readonly pages: DocumentPages
}

/** Writes the page of a result in HTML; other outcomes as the service does. */
async function finishPage(outcome: RequestOutcome, shown: ShownRequest): Promise<HttpResponse> {
  if (!isResult(outcome) || outcome.context.format !== html) return finishOutcome(outcome)
  const { context, response } = outcome
  if (context.isDryRun) return toDryRunResponse(await createPage(outcome, shown))
  if (response.seeOther !== undefined) return seeOther(response.seeOther).response
  const page = await createPage(outcome, shown)
  return shown.viewedAs ? toPreviewResponse(page) : page
}

async function createPage(
  result: RequestResult,
  { request, viewedAs, pages }: ShownRequest,
): Promise<HttpResponse> {
  const { context, response } = result
  const { view } = response
  if (view === undefined || view.kind === 'problem' || view.kind === 'stream' || view.kind === 'events') {
    return finishOutcome(result)
  }
  if (view.kind === 'file') return finishOutcome(result)
  const notice = findNotice(context, request)
  const layout = await loadPageLayout(result, view, { notice, viewedAs })
  const page = writePage(layout, view, pages)
  const noticed = notice ? shownNoticeFields(context) : {}
  const rendered = renderResponse(context, { ...response, fields: { ...response.fields, ...noticed } })
  // The long field comes last.
  const { Link: link = [], ...fields } = rendered.fields
  const sent = { ...fields, ...page.fields, ...(link.length === 0 ? {} : { Link: link }) }
  return encodeResponse(context, { ...rendered, fields: sent, body: page.body })
}
