# One static binary on nothing: no shell, no other user, nothing to write to. `make compose-images`
# builds it and then the image, so that neither a base image nor a toolchain has to be pulled.
# Without a root store, --nats-ca names the authorities of a NATS server with TLS.
FROM scratch
COPY bin/linux/oc-scheduler /oc-scheduler
USER 65532:65532
ENV OC_LISTEN=:8080
EXPOSE 8080
ENTRYPOINT ["/oc-scheduler"]
CMD ["serve"]
