/** The layout of every HTML page: head, navigation, account and footer. */

import { isPermittedAdmin } from '../../access/access-refusal.ts'
import { rightsOf } from '../../access/rights.ts'
import { findBuiltIn } from '../../definition/built-in-name.ts'
import { jobsOf } from '../../definition/jobs-resource.ts'
import type { Model } from '../../definition/model.ts'
import { webhooksName } from '../../definition/webhooks-resource.ts'
import { parseQueryString } from '../../http/query-string.ts'
import { formatPath } from '../../http/request-target.ts'
import { relationName } from '../../view/link-relation.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import {
  collectionUri,
  docsUri,
  homeUri,
  passwordResetsUri,
  problemsUri,
  signInUri,
  signOutUri,
  statusUri,
  verificationsUri,
} from '../../view/uri.ts'
import { type Asset, icon, script, stylesheet } from './assets.ts'
import { formatLabel } from './field-label.ts'
import { html, type Markup, type MarkupPart } from './markup.ts'

export interface HtmlPage {
  readonly title: string
  readonly main: MarkupPart
  /** Seconds after which a browser without script loads the page again; undefined: it does not. */
  readonly refresh?: number | undefined
}

/** Renders the complete HTML document. */
export function renderPage(layout: PageLayout, { title, main, refresh }: HtmlPage): string {
  const { model } = layout
  const name = title === model.title ? title : `${title} · ${model.title}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>\n`}<link rel="icon" href="${assetUri(model, icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUri(model, stylesheet)}">
<script type="module" src="${assetUri(model, script)}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${banner(layout)}
<main id="main" tabindex="-1">
${main}
</main>
${footer(layout)}
</body>
</html>
`.text
}

export function assetUri({ base }: Model, { name }: Asset): string {
  return formatPath(base, ['assets', name])
}

function banner(layout: PageLayout): Markup {
  const { model, navigation, uri } = layout
  const [path = ''] = uri.split('?')
  const links = navigation.map(({ target, rel }) => {
    const current = path === target || path.startsWith(`${target}/`)
    return html`<li><a href="${target}"${current && html` aria-current="${path === target ? 'page' : 'true'}"`}>${formatLabel(relationName(rel) ?? rel)}</a></li>`
  })
  return html`<header class="banner">
<a class="brand" href="${homeUri(model)}">${model.title}</a>
<nav aria-label="Collections"><ul>${links}</ul></nav>
${accountMenu(layout)}
</header>`
}

function accountMenu(layout: PageLayout): Markup | undefined {
  const { model, caller, canSignIn } = layout
  if (caller.kind === 'anonymous') {
    if (!canSignIn) return undefined
    return html`<div class="account"><a href="${signInUri(model)}${signInQuery(layout)}">Sign in</a></div>`
  }
  const name = layout.account
    ? html`<a href="${layout.account.uri}" title="Your account">${layout.account.title}</a>`
    : html`<span>Signed in</span>`
  const tokens = model.tokens && html`<a href="${collectionUri(model, model.tokens)}">Tokens</a>`
  return html`<div class="account">${name} ${tokens} ${webhooksLink(layout)} ${jobsLink(layout)}
<form method="post" action="${signOutUri(model)}"><button class="quiet">Sign out</button></form></div>`
}

/** For callers who may have webhooks. */
function webhooksLink({ model, caller }: PageLayout): Markup | undefined {
  const webhooks = findBuiltIn(model.resources, webhooksName)
  if (!webhooks || rightsOf(webhooks, caller).create.kind === 'never') return undefined
  return html`<a href="${collectionUri(model, webhooks)}">Webhooks</a>`
}

/** In a service with background actions. */
function jobsLink({ model, caller }: PageLayout): Markup | undefined {
  const jobs = jobsOf(model)
  if (!jobs || rightsOf(jobs, caller).list.kind === 'never') return undefined
  return html`<a href="${collectionUri(model, jobs)}">Jobs</a>`
}

function footer({ model, caller }: PageLayout): Markup {
  return html`<footer class="foot"><nav aria-label="About this service"><a href="${docsUri(model)}">Documentation</a> <a href="${problemsUri(model)}">Problems</a>${isPermittedAdmin(model, caller, 'status') && html` <a href="${statusUri(model)}">Status</a>`}</nav></footer>`
}

/** The query of /sign-in with this page as `next`, to return to after signing in. */
export function signInQuery({ model, uri }: PageLayout): string {
  const [path, query = ''] = uri.split('?')
  const next = path === signInUri(model) ? new Map(parseQueryString(query)).get('next') : uri
  // The address of a link in a mail is a secret, which no other URI may repeat.
  const secrets = [passwordResetsUri(model), verificationsUri(model)]
  const isSecret = secrets.some((one) => next?.startsWith(`${one}/`))
  if (next === undefined || next === '' || next === homeUri(model) || isSecret) return ''
  return `?next=${encodeURIComponent(next)}`
}
