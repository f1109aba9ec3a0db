"""Tokens that vendors mark with a prefix of their own, as one table.

A line holds the kind, the prefixes in which it comes (parted by commas, dots are dots) and the
body, in which `@a` stands for a letter or digit, `@l` for a lower-case one, `@u` for an upper-case
one, `@h` for a hexadecimal digit, `@b` for a sign of base64, `@w` for a sign of base64 as addresses
use it, and `@U` for a UUID. The body is what gets replaced; a prefix stays readable.

The formats are what the vendors document and what public scanners look for. A prefix that common
names begin with needs a body of exact length.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNS = {
    "@a": "[A-Za-z0-9]",
    "@l": "[a-z0-9]",
    "@u": "[A-Z0-9]",
    "@h": "[0-9a-f]",
    "@b": "[A-Za-z0-9+/]",
    "@w": "[A-Za-z0-9_-]",
    "@U": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
}
_END = "(?![A-Za-z0-9])"

# Models and what is built around them, and our own.
_MODELS = """
recairn-token rcn_ @w{43}
anthropic-key sk-ant- @w{20,}
anyscale-key esecret_ @a{20,}
assistant-session sess- @a{38,}
cerebras-key csk- @l{40,}
cursor-key crsr_ @h{40,}
e2b-key e2b_ @h{36,}
elevenlabs-key sk_ @h{48}
firecrawl-key fc- @h{32}
fireworks-key fw_ @a{20,}
friendli-key flp_ @a{40,}
google-api-key AIza @w{30,}
google-api-key AQ. Ab@w{30,}
groq-key gsk_ @a{30,}
huggingface-token hf_,api_org_ @a{30,}
jina-key jina_ @w{40,}
langfuse-key sk-lf- @U
langsmith-key lsv2_pt_,lsv2_sk_,ls__ @w{30,}
llama-cloud-key llx- @a{40,}
logfire-token pylf_v1_us_,pylf_v1_eu_ @a{30,}
mem0-key m0- @a{40}
modal-token ak-,as- @a{22}
nvidia-key nvapi- @w{40,}
perplexity-key pplx- @a{30,}
pinecone-key pcsk_ @a{4,8}_@a{40,}
portkey-key pk-live- @w{20,}
replicate-token r8_ @a{30,}
runpod-key rpa_ @a{38,}
tavily-key tvly- (?:dev-|prod-)?@w{24,}
together-key tgp_v1_ @w{30,}
voyage-key pa- @w{43}
wandb-key wandb_v1_ @w{40,}
xai-key xai- @a{40,}
"""

_CLOUDS = """
adafruit-key aio_ @a{28}
aiven-token AVNS_ @w{16,}
alibaba-key LTAI @a{16,26}
aws-bedrock-key ABSK @b{100,}={0,2}
aws-bedrock-key bedrock-api-key- @b{40,}={0,2}
aws-session-token IQoJb3JpZ2lu,FwoGZXIvYXdz,FQoGZXIvYXdz @b{60,}={0,2}
baidu-key bce-v3/ALTAK- @a{16,40}/@h{32,}
cloudflare-token cfut_,cfat_,cfk_ @a{36,}
cloudflare-origin-key v1.0- @h{24}-@h{100,}
databricks-token dapi @h{32}(?:-[0-9])?
databricks-token dose @h{32}
deno-token ddp_,ddo_,ddw_ @a{32,}
digitalocean-token dop_v1_,doo_v1_,dor_v1_ @h{40,}
digitalocean-token DO00,DO801 @u{16}
dynatrace-token dt0c01.,dt0s01.,dt0s02.,dt0s04.,dt0s06.,dt0s08.,dt0s16. @u{8,24}\\.@u{60,}
equinix-token metal_ @a{32}
exoscale-key EXO @h{24,26}
fly-token fo1_,fm1a_,fm1r_,fm2_ [A-Za-z0-9+/_-]{40,}={0,3}
google-oauth-secret GOCSPX- @w{20,}
heroku-key HRKU- @w{30,}
neon-key napi_ @l{40,}
neon-password npg_ @a{12,16}
openshift-token sha256~ @w{43}
ovh-key ovh_ @a{30,}
planetscale-token pscale_tkn_,pscale_oauth_,pscale_pw_,pscale_api_ [A-Za-z0-9_.=-]{30,}
pulumi-token pul- @h{40}
railway-token rw_ @a{40,}
render-key rnd_ @a{26,}
scaleway-key SCW @u{17}
scalingo-token tk-us-,tk-eu- @w{44,}
spacelift-key spacelift_ @a{30,}
supabase-token sbp_ @h{40,}
supabase-token sb_secret_ @w{20,}
tencent-key AKID @a{32}
upcloud-token ucat_ @a{20,}
vercel-token vcp_,vca_,vci_,vck_,vcr_ @a{24,}
vercel-blob-token vercel_blob_rw_ @a{12,40}_@a{24,}
volcengine-key AKLT [A-Za-z0-9+/=]{36,}
xata-key xau_ @a{36,}
yandex-key AQVN @w{35,38}
yandex-key YCAJ,YCM,YCN,YCO,YCP @w{35,38}
yandex-token y0_ @w{50,}
yandex-token t1.9 [A-Za-z0-9_=-]{4,400}\\.@w{80,}={0,2}
"""

_CODE = """
artifactory-key AKCp @a{60,}
artifactory-key cmVmdGtuO @a{40,}
bitbucket-token ATBB @a{24,}
buildkite-token bkua_,bkpt_,bkct_,bkpat_,bkaj_ @a{30,}
circleci-token CCIPAT_,CCIPRJ_ @a{20,}_@h{40}
clojars-token CLOJARS_ @l{50,}
cloudsmith-key csa_ @a{36,}
codeberg-token gta_ @h{40}
crates-io-token cio @a{32}
docker-token dckr_pat_,dckr_oat_ @w{20,}
gitlab-token glpat-,gldt-,glrt-,glptt-,glcbt-,glft- @w{18,}(?:\\.[A-Za-z0-9_.-]+)?
gitlab-token glimt-,gloas-,glsoat-,glwt-,glagent-,glffct- @w{18,}
gitlab-token GR1348941 @w{20,}
github-token v1. @h{40}
harness-token pat.,sat. @w{22}\\.@a{24}\\.@a{20}
infracost-key ico- @a{32}
jetbrains-token perm- [A-Za-z0-9+/=_-]{4,80}\\.[A-Za-z0-9+/=_-]{8,80}\\.[A-Za-z0-9+/=_-]{20,}
jetbrains-token perm: [A-Za-z0-9+/=_-]{4,80}\\.[A-Za-z0-9+/=_-]{8,80}\\.[A-Za-z0-9+/=_-]{20,}
npm-token npm_ @a{30,}
nuget-key oy2 @l{43}
octopus-key API- @u{25,28}
packagist-token packagist_uut_,packagist_out_,packagist_ort_ @h{60,}
prefect-key pnu_,pnb_ @a{36}
pypi-token pypi- @w{50,}
rubygems-token rubygems_ @h{40,}
snyk-token snyk_uat.,snyk_sat. [A-Za-z0-9_.-]{20,}
socket-key sktsec_ @w{30,}
sonar-token squ_,sqp_,sqa_,sqb_ @h{40}
sourcegraph-token sgp_,sgd_,slk_,sgs_ (?:(?:@h{16}|local)_)?@h{40,}
segment-token sgp_ @a{60,}
stackhawk-key hawk. @w{20}\\.@w{20}
terraform-token at- @a{14}\\.atlasv1\\.@w{40,}
vscode-token vsce_ @a{40,}
wakatime-key waka_ @U
"""

_OPERATIONS = """
axiom-token xaat-,xapt- @U
checkly-key cu_ @h{32}
datadog-key ddpat_,ddapp_ @a{30,}
defined-key dnkey- [A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}
doppler-token dp.ct.,dp.pt.,dp.st.,dp.sa.,dp.said.,dp.scim.,dp.audit. [A-Za-z0-9._-]{36,}
duo-key DI @u{18}
grafana-token glc_ [A-Za-z0-9+/=_-]{32,}
grafana-token glsa_ [A-Za-z0-9_]{32,}
grafana-token eyJrIjoi [A-Za-z0-9+/]{60,}={0,3}
honeybadger-key hbp_ @a{30,}
honeycomb-key hcaik_,hcalk_,hcamk_,hcxik_,hcxlk_,hcxmk_ @l{40,}
infisical-token st. @h{16,64}\\.@h{24,64}\\.@h{24,}
netbird-token nbp_ @a{36}
netlify-token nfp_,nfo_,nfc_,nfu_,nfb_ @w{30,}
newrelic-key NRAK-,NRII-,NRJS-,NRIQ-,NRAA-,NRRA-,NRSP- @w{16,}
onepassword-token ops_ eyJ[A-Za-z0-9+/_-]{60,}={0,3}
onepassword-key A3- @u{6}-(?:@u{11}|@u{6}-@u{5})-@u{5}-@u{5}-@u{5}
pagerduty-key pdus+ [A-Za-z0-9_+-]{16,}
posthog-key phx_,phs_ @a{40,}
rootly-key rootly_ @h{40,}
sentry-token sntrys_,sntryu_,sntrya_,sntryi_ [A-Za-z0-9+/=_-]{40,}
statsig-key secret- @a{40,}
launchdarkly-key sdk-,api-,mob- @U
tailscale-key tskey- [a-z]{2,8}-[A-Za-z0-9-]{20,}
twistlock-token lk-,ngc- @a{60,}
unleash-key *:*. @h{40,}
vault-token hvs.,hvb.,hvr. @w{20,}
vault-token s. @a{24}
"""

_MAIL_AND_CHAT = """
brevo-key xkeysib-,xsmtpsib- @h{64}-@a{16}
courier-key pk_prod_ @u{28}
discord-token mfa. @w{80,}
firebase-key AAAA @w{7}:@w{100,}
infobip-key App_ @h{32}-@U
mailersend-key mlsn. @h{60,}
mailgun-key key-,pubkey- @h{32}
onesignal-key os_v2_app_,os_v2_org_ @l{60,}
postmark-key PM-T- @w{16,}
resend-key re_ @a{6,10}_@a{20,}
resend-key re_ @a{32,36}
sendgrid-key SG. @w{16,32}\\.@w{16,}
slack-token xapp- [A-Za-z0-9-]{20,}
slack-token xwfp- [A-Za-z0-9-]{20,}
telnyx-key KEY0 @u{30,34}_@a{22}
twitter-token AAAAAAAAAAAAAAAAAAAAA [A-Za-z0-9%]{60,}
vonage-key vpub_ @a{40,}
"""

_MONEY = """
braintree-token access_token$production$,access_token$sandbox$ @l{16}\\$@h{32}
checkout-key sk_sbox_ @l{26,}[*#$=]?
clickhouse-key 4b1d @a{38}
coinbase-key CBP @w{36,}
duffel-token duffel_live_,duffel_test_ [A-Za-z0-9_=-]{40,}
easypost-key EZAK,EZTK @a{54}
flutterwave-key FLWSECK- @a{32}-X
flutterwave-key FLWSECK_TEST-,FLWSECK_LIVE- @a{12,36}(?:-X)?
lob-key live_,test_ @h{35}
mollie-key live_,test_ @a{30}
gocardless-token live_,sandbox_ @w{40}
paddle-key pdl_live_apikey_,pdl_sdbx_apikey_,pdl_ntfset_ [A-Za-z0-9_]{26,}
plaid-token access-sandbox-,access-development-,access-production- @U
polar-token polar_oat_,polar_pat_,polar_at_u_,polar_rt_u_,polar_whs_ @a{30,}
razorpay-key rzp_live_,rzp_test_ @a{14}
shippo-token shippo_live_,shippo_test_ @h{40}
shopify-token shpat_,shpss_,shpca_,shppa_,shprt_,shpua_ [0-9a-fA-F]{30,}
square-token sq0atp-,sq0csp-,sq0idp-,sq0idb- @w{22,}
stripe-key sk_live_,sk_test_,sk_prod_,rk_live_,rk_test_,rk_prod_,sk_org_live_ @a{16,}
stripe-webhook-secret whsec_ [A-Za-z0-9+/=]{24,}
woocommerce-key ck_,cs_ @h{40}
"""

_WORK = """
airtable-token pat @a{14}\\.@h{60,}
adobe-secret p8e- @w{32}
apify-token apify_api_,apify_proxy_ @a{30,}
asana-token 1/,2/ [0-9]{10,20}(?:/[0-9]{10,20})?:@h{32}
atlassian-token ATATT,ATCTT,ATSTT [A-Za-z0-9_=-]{40,}
authress-key sc_,ext_,scauth_,authress_ @l{5,30}\\.@l{4,6}\\.acc[_-]@w{8,32}\\.@w{30,}
calendly-token eyJraWQiOiIxY2UxZTEz @w{60,}
canva-secret cnvca @w{40,}
clickup-token pk_ [0-9]{5,9}_@u{32}
contentful-token CFPAT- @w{40,}
dropbox-token sl. (?:u\\.)?@w{100,}
facebook-token EAA @a{60,}
figma-token figd_,figdr_,figo_,figu_ @w{30,}
frameio-token fio-u- [A-Za-z0-9_=-]{60,}
hubspot-token pat-na1-,pat-na2-,pat-na3-,pat-eu1-,pat-ap1- @U
instagram-token IGQ @w{80,}
intercom-token dG9rO [A-Za-z0-9+/]{40,}={0,2}
intra-secret s-s4t2ud-,s-s4t2af- @h{60,}
linear-key lin_api_,lin_oauth_,lin_wh_ @a{30,}
linkedin-secret WPL_AP1.,WPL_AP0. [A-Za-z0-9+/=.]{16,}
mapbox-token sk. eyJ1@w{20,200}\\.@w{20,}
notion-token ntn_ @a{40,}
notion-token secret_ @a{43}
n8n-key n8n_api_ @w{30,}
porkbun-key sk1_,pk1_ @h{60,}
postman-key PMAK- @h{24}-@h{30,}
postman-key PMAT- @u{26}
readme-key rdme_ @l{60,}
retool-token retool_ @a{24,}
salesforce-token 00D @a{12,15}![A-Za-z0-9._]{60,}
sanity-token sk @a{100,}
settlemint-token sm_aat_,sm_pat_,sm_sat_ @a{16}
tiktok-token act. @a{40,}
todoist-token td_ @h{40}
trello-token ATTA @h{60,}
typeform-token tfp_ [A-Za-z0-9_.=-]{40,}
wix-token IST. eyJ@w{20,400}\\.@w{20,}
zapier-token zpka_ @w{40,}
zuplo-key zpka_ @w{40,}
"""


def vendor_rows() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Kind, prefixes and the pattern of prefix and body; a prefix that stands twice has one row."""
    bodies: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for table in (_MODELS, _CLOUDS, _CODE, _OPERATIONS, _MAIL_AND_CHAT, _MONEY, _WORK):
        for line in table.split("\n"):
            if line:
                kind, prefixes, body = line.split(" ")
                for sign, meaning in _SIGNS.items():
                    body = body.replace(sign, meaning)
                # Open ends take all there is: to try less of it would cost time and find nothing.
                body = body.replace(",}", ",}+")
                for prefix in prefixes.split(","):
                    kinds.setdefault(prefix, kind)
                    bodies.setdefault(prefix, []).append(body)
    for prefix, listed in bodies.items():
        begin = "".join(sign if sign.isalnum() or sign in "_-" else "\\" + sign for sign in prefix)
        yield kinds[prefix], (prefix,), f"{begin}({'|'.join(listed)}){_END}"
